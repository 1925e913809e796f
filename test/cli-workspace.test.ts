/** Notes, draft and plan at the command line. */
import { expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

async function desk() {
  const ground = new Ground({ in_process: true });
  await ground.host();
  const said = async (args: string[], input?: string): Promise<string> => {
    const line = [...args, "--space", "main", "--format", "text"];
    const { code, stdout, stderr } = await ground.parley(line, input === undefined ? {} : { input });
    return code === 0 ? stdout.trimEnd() : `${code} ${stderr.trim()}`;
  };
  const json = <T>(...args: string[]): Promise<T> => ground.json<T>([...args, "--space", "main"]);
  return { said, json, [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose]() };
}

test("notes are added, found by text and tag, and counted", async () => {
  await using at = await desk();
  expect(await at.said(["note", "add", "Rent rises", "in Prague", "--tag", "rent", "--tag", "city"])).toMatch(
    /^Added note \d{16}, tagged rent, city\.$/,
  );
  expect(await at.said(["note", "add", "-", "--link", "https://example.com/a"], "Coffee is dear\nand good\n")).toMatch(
    /^Added note \d{16}\.$/,
  );
  expect(await at.said(["note", "list", "PRAGUE"])).toMatch(
    /^\d{16} {2}admin {2}\S+\n {2}rent, city\n {2}Rent rises in Prague$/,
  );
  expect(await at.said(["note", "list"])).toContain("  Coffee is dear\n  and good\n  From https://example.com/a");
  expect(await at.said(["note", "list", "--limit", "1"])).toMatch(
    /There is more: .*note list --limit 1 .*--after-id \d{16}/,
  );
  expect(await at.said(["note", "list", "--tag", "nothing"])).toBe("There are no such notes.");
  expect(await at.said(["note", "tags"])).toMatch(/^tag +notes\nrent +1\ncity +1$/);
  expect(await at.said(["note", "add", " "])).toMatch(/^2 .*the content is empty/s);
});

test("a draft is written, shown, looked back at, compared, ordered and exported", async () => {
  await using at = await desk();
  const write = (section: string, text: string, ...more: string[]) =>
    at.said(["draft", "write", section, ...more, "-"], text);
  expect(await write("intro", "# Hello\nworld\n", "--title", "Introduction")).toBe("intro is at version 1.");
  expect(await write("intro", "# Hello\nthere\n")).toBe("intro is at version 2.");
  expect(await write("market", "Small & <b>fine</b>.")).toBe("market is at version 1.");
  expect(await write("intro", "late", "--expected-version", "1")).toMatch(/^5 .*intro is at version 2, not 1/s);
  expect(await at.said(["draft", "show", "intro"])).toMatch(
    /^intro {2}version 2 {2}by admin {2}\S+\n {2}Introduction\n {2}# Hello\n {2}there$/,
  );
  expect(await at.said(["draft", "show", "intro", "--version", "1"])).toContain("  world");
  expect(await at.said(["draft", "history", "intro"])).toMatch(/^version +author .*\n2 +admin .*\n1 +admin /);
  expect(await at.said(["draft", "diff", "intro"])).toMatch(/-world\n +\+there/);
  expect(await at.said(["draft", "move", "market", "--before", "intro"])).toBe(
    "market is at place 1 now: market, intro.",
  );
  expect(await at.said(["draft", "export"])).toBe(
    "# market\n\nSmall & <b>fine</b>.\n\n# Introduction\n\n# Hello\nthere",
  );
  expect(await at.said(["draft", "export", "--as", "html"])).toContain("<p>Small &amp; &lt;b&gt;fine&lt;/b&gt;.</p>");
  expect(await at.said(["draft", "show", "intor"])).toMatch(/^4 .*Did you mean intro\?/s);
});

test("a plan is a checklist that says what each task waits for", async () => {
  await using at = await desk();
  expect(await at.said(["plan", "list"])).toBe("There are no tasks in the plan.");
  await at.said(["plan", "add", "Research", "Write", "--in-order", "--assigned-to", "scout"]);
  const { plan } = await at.json<{ plan: { id: string }[] }>("plan", "list");
  const [research = "", write = ""] = plan.map(({ id }) => id);
  expect(await at.said(["plan", "add", "--after", write, "-"], "Review\n\nPrint\n")).toMatch(
    /^Added \d{16} {2}Review\nAdded \d{16} {2}Print$/,
  );
  expect(await at.said(["plan", "update", write, "--status", "completed"])).toMatch(/^5 .*depends on/s);
  expect(await at.said(["plan", "update", research, "--status", "completed", "--summary", "ten a month"])).toBe(
    `${research} is completed, done by scout.`,
  );
  expect(await at.said(["plan", "update", write, "--status", "in_progress", "--assigned-to", ""])).toBe(
    `${write} is in_progress.`,
  );
  const review = (await at.json<{ plan: { id: string }[] }>("plan", "list")).plan[2]?.id ?? "";
  expect((await at.said(["plan", "list"])).split("\n")).toEqual([
    `[x] ${research}  Research  (scout)`,
    "      ten a month",
    `[>] ${write}  Write`,
    `[.] ${review}  Review`,
    `      waits for ${write} Write`,
    expect.stringMatching(/^\[\.\] \d{16} {2}Print$/),
    `      waits for ${write} Write`,
    "1 of 4 tasks completed.",
  ]);
  expect(await at.said(["plan", "link", research, review])).toMatch(/^5 .*circle/s);
  expect(await at.said(["plan", "unlink", review, write])).toBe(`${review} has no such link to ${write} any more.`);
  expect(await at.said(["plan", "link", review, research, "--kind", "parent"])).toBe(
    `${review} is part of ${research}.`,
  );
  expect(await at.said(["plan", "list", "--ready"])).toBe(`[ ] ${review}  Review\n0 of 1 task completed.`);
});

test("without --space a note goes to the only space there is for its writer; who may use several is told how to say which", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const add = async (PARLEY_TOKEN: string, ...more: string[]) => {
    const { code, stdout, stderr } = await ground.parley(["note", "add", "a finding", ...more], {
      env: { PARLEY_TOKEN },
    });
    return { code, author: code === 0 ? JSON.parse(stdout).author : undefined, stderr };
  };
  await ground.json(["space", "create", "sess_demo"]);
  const scout = ["token", "create", "--role", "agent", "--name", "scout"];
  const { token } = await ground.json<{ token: string }>([...scout, "--space", "sess_demo"]);
  expect(await add(token)).toMatchObject({ code: 0, author: "scout" });
  const { token: wider } = await ground.json<{ token: string }>(scout);
  const refused = await add(wider);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /You may use several spaces: say in which with --space ID, or PARLEY_SPACE\. \S+ space list.* shows them\./,
    ),
  ]);
  expect(refused.stderr).not.toContain("X-Session-ID");
  expect(await add(wider, "--space", "sess_demo")).toMatchObject({ code: 0, author: "scout" });
});
