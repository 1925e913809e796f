/** What a person sees who types commands: at a terminal, in their own time zone, with ids cut short. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Ground, type HostedHub, until } from "../src/testing/process.ts";
import { atTerminal } from "../src/testing/terminal.ts";

let ground: Ground;
let hub: HostedHub;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  hub = await ground.host();
});
afterEach(() => ground[Symbol.asyncDispose]());

const text = async (...args: string[]): Promise<string> => (await ground.parley([...args, "--format", "text"])).stdout;
const errorOf = async (...args: string[]) => {
  const { code, stderr } = await ground.parley([...args, "--json"]);
  return { exit: code, ...JSON.parse(stderr).error };
};
const mailTo = (name: string, subject: string): Promise<{ id: string }> =>
  ground.json(["send", "--to", name, "--subject", subject, "--body", "b"]);
const widest = (shown: string): number => Math.max(...shown.split("\n").map((line) => line.length));

describe("at a terminal", () => {
  test("lists and tables are no wider than it is", async () => {
    await ground.json(["agent", "register", "scout"]);
    await mailTo("scout", "A subject that goes on and on, ".repeat(6));
    for (const args of [["inbox", "--agent", "scout"], ["sent"], ["token", "list"]]) {
      const { stdout, code } = await atTerminal(ground, [...args, "--no-color"], { columns: 60 });
      expect(code).toBe(0);
      expect(widest(stdout)).toBeLessThanOrEqual(60);
    }
    expect(widest(await text("inbox", "--agent", "scout"))).toBeGreaterThan(150);
  });

  test("help goes on below where the terminal ends, and loses no word", async () => {
    const words = (shown: string): string[] => shown.split(/\s+/);
    for (const [, narrow, wide] of await Promise.all(
      [["help"], ["help", "poll"]].map(async (args) => {
        const { stdout } = await atTerminal(ground, [...args, "--no-color"], { columns: 92 });
        return [args, stdout, await text(...args)] as const;
      }),
    )) {
      expect(widest(narrow)).toBeLessThanOrEqual(92);
      expect(words(narrow)).toEqual(words(wide));
    }
    expect(widest(await text("help", "poll"))).toBeGreaterThan(92);
  });

  test("what cannot be brought back is asked about, and without a yes nothing is deleted", async () => {
    await ground.json(["space", "create", "sess_review"]);
    const no = await atTerminal(ground, ["space", "delete", "sess_review"], { typed: "n\n" });
    expect(no.stdout).toContain("Nothing was deleted.");
    expect(await text("space", "list")).toContain("sess_review");
    const yes = await atTerminal(ground, ["space", "delete", "sess_review"], { typed: "y\n" });
    expect(yes.stdout).toContain("Deleted sess_review");
  });

  test("a token is revoked or replaced only after a yes, and by a program that says so", async () => {
    const { id, token } = await ground.json<{ id: string; token: string }>([
      "token",
      "create",
      "--role",
      "human",
      "--name",
      "ana",
      "--for",
      "the laptop",
    ]);
    const works = async (): Promise<boolean> =>
      (await ground.parley(["whoami"], { env: { PARLEY_TOKEN: token } })).code === 0;
    for (const verb of ["revoke", "rotate"]) {
      const no = await atTerminal(ground, ["token", verb, id], { typed: "n\n" });
      expect(no.stdout).toMatch(new RegExp(`(Revoke|Replace) ${id} of ana \\(for the laptop\\)\\? .* \\[y/N\\]`, "s"));
      const refused = await ground.parley(["token", verb, id, "--json"]);
      expect([refused.code, JSON.parse(refused.stderr).error.message]).toEqual([
        2,
        expect.stringContaining("say --yes"),
      ]);
      expect([verb, await works()]).toEqual([verb, true]);
    }
    await atTerminal(ground, ["token", "revoke", id], { typed: "y\n" });
    expect(await works()).toBe(false);
  });

  test("Ctrl-C at the question ends the command, and Ctrl-D is a no", async () => {
    await ground.json(["agent", "register", "scout"]);
    const ask = (typed: string) => atTerminal(ground, ["agent", "delete", "scout"], { typed });
    const interrupted = await ask("\u0003");
    expect([interrupted.code, interrupted.stdout]).toEqual([130, expect.not.stringContaining("rror")]);
    const ended = await ask("\u0004");
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringMatching(/\[y\/N\] .*\nNothing was deleted\./)]);
    expect(await text("agent", "list")).toContain("scout");
  });

  test("a command that waits says what it waits for", async () => {
    await ground.json(["agent", "register", "scout"]);
    const { stdout } = await atTerminal(ground, ["wait", "--agent", "scout", "--timeout", "1s"]);
    expect(stdout).toContain("Waiting for mail, at most 1s. Ctrl-C ends it.");
    const watched = await atTerminal(ground, ["watch", "--agent", "scout", "--timeout", "1s"]);
    expect(watched.stdout).toContain("Waiting for mail to scout.");
  });

  test("a tail that has nothing to show says what it waits for, and one that has does not", async () => {
    await ground.json(["agent", "register", "scout"]);
    const tail = (typed: string, until: string) =>
      atTerminal(ground, ["chat", "tail", "--no-color"], { typed, once: until });
    const empty = await tail("\u0003", "Ctrl-C ends it.");
    expect(empty.stdout).toContain("Waiting for what is said to the default agent. Ctrl-C ends it.");
    await ground.json(["chat", "send", "hello"]);
    const full = await tail("\u0003", "hello");
    expect(full.stdout).not.toContain("Waiting");
  });
});

describe("without a terminal", () => {
  test("nothing is deleted that was not said with --yes", async () => {
    await ground.json(["agent", "register", "scout"]);
    expect(await errorOf("agent", "delete", "scout")).toMatchObject({
      exit: 2,
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("--yes"),
    });
    expect(await text("agent", "list")).toContain("scout");
    await ground.json(["agent", "delete", "scout", "--yes"]);
    expect(await ground.json(["agent", "list"])).toEqual({ agents: [] });
  });

  test("FORCE_COLOR asks for colours, and --no-color has the last word", async () => {
    const plain = await ground.parley(["status", "--format", "text"]);
    expect(plain.stdout).not.toContain("\u001b[");
    const forced = await ground.parley(["status", "--format", "text"], { env: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toContain("\u001b[1m");
    const none = await ground.parley(["status", "--format", "text", "--no-color"], { env: { FORCE_COLOR: "1" } });
    expect(none.stdout).not.toContain("\u001b[");
  });
});

describe("times", () => {
  test("are told as a person would, and as the hub has them with --utc and in JSON", async () => {
    await ground.json(["agent", "register", "scout"]);
    await mailTo("scout", "now");
    const inbox = ["inbox", "--agent", "scout"];
    expect(await text(...inbox)).toContain("just now");
    expect(await text(...inbox)).not.toMatch(/\d{4}-\d\d-\d\dT/);
    expect(await text(...inbox, "--utc")).toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z/);
    const { messages } = await ground.json<{ messages: { sent_at: string }[] }>(inbox);
    expect(messages[0]?.sent_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});

describe("ids", () => {
  test("may be cut short as long as they name one mail, and latest is the newest", async () => {
    await ground.json(["agent", "register", "scout"]);
    const as = ["--agent", "scout"];
    const first = await mailTo("scout", "first");
    const second = await mailTo("scout", "second");
    const short = shortest(first.id, second.id);
    expect(await ground.json(["read", short, ...as])).toMatchObject({ id: first.id, subject: "first" });
    expect(await ground.json(["read", "latest", ...as])).toMatchObject({ id: second.id });
    expect(await ground.json(["receipts", "latest"])).toMatchObject({ id: second.id });
    await ground.json(["reply", "latest", "--body", "-", ...as], { input: "from stdin" });
    expect(await ground.json(["read", "latest"])).toMatchObject({ body: "from stdin", from: "scout" });
    expect(await errorOf("read", first.id.slice(0, 5), ...as)).toMatchObject({
      exit: 2,
      message: expect.stringMatching(/More than one mail .* Give more of it\./),
    });
    expect(await errorOf("read", "9999999", ...as)).toMatchObject({ exit: 4, code: "NOT_FOUND" });
  });

  test("of threads and of chat messages too, and latest is what was put away last where mail is taken back", async () => {
    await ground.json(["agent", "register", "scout"]);
    const as = ["--agent", "scout"];
    const mail = await mailTo("scout", "first");
    const say = ["--to", "admin", "--subject", "more", "--body", "b", ...as];
    for (const thread of [mail.id.slice(0, 15), "latest"])
      expect(await ground.json(["send", ...say, "--thread", thread])).toMatchObject({ thread_id: mail.id });
    const { messages: found } = await ground.json<{ messages: object[] }>(["search", "--thread", "latest", ...as]);
    expect(found).toHaveLength(3);
    await ground.json(["archive", "latest", ...as]);
    const back = await ground.json<{ messages: object[] }>(["unarchive", "latest", ...as]);
    expect(back.messages).toEqual([expect.objectContaining({ id: mail.id, state: "inbox" })]);
    expect(await errorOf("unarchive", "latest", ...as)).toMatchObject({ exit: 4, code: "MAIL_NOT_FOUND" });

    const one = await ground.json<{ id: string }>(["chat", "send", "one"]);
    const two = await ground.json<{ id: string }>(["chat", "send", "two"]);
    const readAfter = (id: string): Promise<{ messages: object[] }> => ground.json(["chat", "read", "--after", id]);
    expect((await readAfter(shortest(one.id, two.id))).messages).toEqual([expect.objectContaining({ content: "two" })]);
    expect((await readAfter("latest")).messages).toEqual([]);
  });

  test("of tokens may be cut short too, and the list says what each is for", async () => {
    const token = ["token", "create", "--role", "human", "--name", "ana", "--for", "the laptop"];
    const { id } = await ground.json<{ id: string }>(token);
    await ground.json(["agent", "register", "scout"]);
    await ground.json(["inbox", "--agent", "scout"]);
    expect(await text("token", "list")).toMatch(
      /made for[\s\S]*the data folder[\s\S]*the laptop[\s\S]*commands with --agent/,
    );
    expect(await ground.json(["token", "revoke", id.slice(0, 12), "--yes"])).toMatchObject({ id });
    expect(await errorOf("token", "create", "--role", "human", "--name", "ben", "--for", "browser")).toMatchObject({
      exit: 2,
      code: "INVALID_ARGUMENT",
    });
  });
});

/** As much of the first as the second does not begin with. */
function shortest(id: string, other: string): string {
  const at = [...id].findIndex((digit, index) => digit !== other[index]);
  return id.slice(0, at + 1);
}

describe("what is printed", () => {
  test("with --quiet is no more than ids, and with --fields no more than those", async () => {
    await ground.json(["agent", "register", "scout"]);
    const quiet = await ground.parley([
      ...["send", "--to", "scout", "--subject", "s", "--body", "b"],
      ...["-q", "--format", "text"],
    ]);
    const id = quiet.stdout.trim();
    expect(id).toMatch(/^\d{16}$/);
    expect(await text("inbox", "--agent", "scout", "-q")).toBe(`${id}\n`);
    expect(await text("agent", "list", "-q")).toBe("scout\n");
    expect(await ground.json(["inbox", "--agent", "scout", "--fields", "id,subject"])).toMatchObject({
      agent: "scout",
      messages: [{ id, subject: "s" }],
    });
    const { agents } = await ground.json<{ agents: object[] }>(["agent", "list", "--fields", "name"]);
    expect(agents).toEqual([{ name: "scout" }]);
    expect(await text("agent", "list", "--fields", "name,presence")).toMatch(/^name +presence\nscout +offline\n$/);
  });

  test("to see more of a list, the hint repeats the whole query", async () => {
    await ground.json(["agent", "register", "scout"]);
    for (const subject of ["a", "b", "c"]) await mailTo("scout", subject);
    const shown = await text("search", "--from", "admin", "-n", "1", "--agent", "scout");
    const hint = /There is more: \S+parley (.*)\n/.exec(shown)?.[1] ?? "";
    expect(hint).toMatch(/^search --from admin -n 1 --agent scout --format text --before \d{16} --home /);
    const next = await ground.parley(hint.split(" "));
    expect(next.stdout).toContain(": b\n");
  });

  test("mail that was sent says to whom, a chat message too, and the last ones of a chat can be read", async () => {
    await hub.stop();
    await ground.json(["agent", "register", "scout"]);
    await mailTo("scout", "s");
    expect(await text("sent")).toContain("To: scout");
    expect(await text("chat", "send", "one")).toMatch(/^Sent to scout\. ID: \d{16}\n$/);
    for (const said of ["two", "three"]) await ground.json(["chat", "send", said]);
    const { messages } = await ground.json<{ messages: { content: string }[] }>(["chat", "read", "-n", "2"]);
    expect(messages.map(({ content }) => content)).toEqual(["two", "three"]);
    expect(await errorOf("chat", "read", "-n", "2", "--after", "1")).toMatchObject({ exit: 2 });
  });

  test("speaks of commands and not of tools, and knows what people try first", async () => {
    await ground.json(["agent", "register", "scout"]);
    const unknown = await errorOf("chat", "send", "--agent", "nobody", "hi");
    expect(unknown.message).toMatch(/parley agent list --home \S+ shows who there is/);
    expect(await errorOf("tail")).toMatchObject({ message: expect.stringContaining("Did you mean chat tail?") });
    expect(await errorOf("mail")).toMatchObject({ message: expect.stringContaining("Did you mean inbox?") });
    expect(await errorOf("start")).toMatchObject({ message: expect.stringContaining("Did you mean serve?") });
  });

  test("completion offers ids, people and agents", async () => {
    await ground.json(["agent", "register", "scout"]);
    await ground.json(["token", "create", "--role", "human", "--name", "ana"]);
    const { id } = await mailTo("admin", "s").catch(() => mailTo("ana", "s"));
    const offered = async (...words: string[]): Promise<string[]> =>
      (await ground.json<{ candidates: string[] }>(["complete", "--", ...words])).candidates;
    expect(await offered("send", "--to", "")).toEqual(expect.arrayContaining(["scout", "ana", "admin", "User"]));
    expect(await offered("receipts", "")).toEqual(["latest", id]);
    expect(await offered("agent", "delete", "sc")).toEqual(["scout"]);
  });

  test("completion asks the hub, and in the name of the agent, that the line being typed speaks of", async () => {
    await ground.json(["agent", "register", "scout"]);
    const { id } = await mailTo("scout", "s");
    const offered = async (...words: string[]): Promise<string[]> =>
      JSON.parse(
        (await ground.parley(["complete", "--json", "--", ...words], { env: { PARLEY_HOME: "/nowhere" } })).stdout,
      ).candidates;
    const home = ["--home", ground.home];
    expect(await offered(...home, "rea")).toEqual(["read"]);
    expect(await offered("read", ...home, "--agent", "scout", "")).toEqual(["latest", id]);
    expect(await offered(`--home=${ground.home}`, "search", "--agent", "scout", "--thread", "")).toEqual([
      "latest",
      id,
    ]);
    expect(await offered("read", "--agent", "")).toEqual([]);
  });
});

test("whoever whoami says is who speaks in the chat", async () => {
  await ground.json(["agent", "register", "scout"]);
  const env = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "4f1c" };
  const { agent } = await ground.json<{ agent: string }>(["whoami"], { env });
  await ground.json(["chat", "send", "from the session"], { env });
  const { messages } = await ground.json<{ messages: { author_principal: string }[] }>(["chat", "read"], { env });
  expect(messages.at(-1)).toMatchObject({ author_principal: agent });
});

test("the log of a hub that a command started can be read", async () => {
  await hub.stop();
  expect(await errorOf("logs")).toMatchObject({ exit: 4, code: "NOT_FOUND" });
  await ground.json(["agent", "register", "scout"]);
  await until(async () => (await text("logs")).includes("the hub is ready"));
  expect((await text("logs", "-n", "1")).split("\n")).toHaveLength(2);
});

test("of a hub in a terminal, logs says that its log is there", async () => {
  await hub.stop();
  await ground.serve();
  expect(await errorOf("logs")).toMatchObject({ exit: 4, message: expect.stringContaining("in that terminal") });
});

test("two agents that were stopped may be let go on from the terminal", async () => {
  for (const name of ["scout", "mason"]) await ground.json(["agent", "register", name]);
  expect(await text("mail", "release", "scout", "mason")).toBe("These may write to each other again: scout, mason.\n");
});

test("where no browser can be opened, open says what to open, and shows the link to nobody else", async () => {
  const { opened, url } = await ground.json<{ opened: boolean; url?: string }>(["open"], { env: { PATH: "/nowhere" } });
  expect(opened).toBe(false);
  expect(url).toMatch(/#code=/);
});
