/** What a person asked to have printed, and nothing else: `--quiet` and `--fields`, whatever the command. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";
import { atTerminal } from "../src/testing/terminal.ts";

let ground: Ground;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
  await ground.json(["agent", "register", "scout"]);
});
afterEach(() => ground[Symbol.asyncDispose]());

const text = async (...args: string[]): Promise<string> => (await ground.parley([...args, "--format", "text"])).stdout;
const mailTo = (name: string): Promise<{ id: string }> =>
  ground.json(["send", "--to", name, "--subject", "s", "--body", "b"]);

test("with --quiet every list is its ids, whatever is made its id, and what is merely done says nothing", async () => {
  const { id } = await mailTo("scout");
  const as = ["--agent", "scout"];
  for (const list of [["inbox", ...as], ["sent"], ["thread", id], ["poll", ...as], ["archive", id, ...as]])
    expect([list[0], await text(...list, "-q")]).toEqual([list[0], `${id}\n`]);
  const piped = async (...args: string[]) => (await ground.parley([...args, "-q"])).stdout;
  expect(await piped("sent")).toBe(`${id}\n`);
  expect(await piped("send", "--to", "scout", "--subject", "s", "--body", "b")).toMatch(/^\d{16}\n$/);
  expect(JSON.parse(await piped("inbox", ...as, "--json"))).toMatchObject({ agent: "scout" });
  expect(await text("subscribe", "builds", ...as, "-q")).toBe("");
  expect(await text("topics", "-q")).toBe("builds\n");
  expect(await text("receipts", id, "-q")).toBe("scout\n");
  expect(await text("publish", "builds", "--subject", "s", "--body", "b", "-q")).toMatch(/^\d{16}\n$/);
  expect(await text("status-update", "--summary", "half", "--to", "scout", "-q")).toMatch(/^\d{16}\n$/);
  expect(await text("whoami", "-q")).toBe("admin\n");
  expect(await text("login", "-q")).toMatch(/^http:\S+#code=\S+\n$/);
  expect(await text("agent", "register", "mason", "-q")).toBe("mason\n");
  expect(await text("agent", "default", "mason", "-q")).toBe("");
  expect(await text("mail", "release", "scout", "mason", "-q")).toBe("");
  expect(await text("agent", "delete", "mason", "--yes", "-q")).toBe("");
  const { id: token } = await ground.json<{ id: string }>(["token", "create", "--role", "human", "--name", "ana"]);
  expect(await text("token", "rotate", token, "--yes", "-q")).toMatch(/^parley_\w+\n$/);
});

test("with --quiet what somebody named is a line each, with nothing unseen in it, and JSON has it as it is", async () => {
  const tag = "re\u202eview";
  await ground.json(["note", "add", "later", "--tag", tag, "--agent", "scout"]);
  expect(await text("note", "tags", "-q")).toBe("re\\u202eview\n");
  expect(await ground.json(["note", "tags"])).toMatchObject({ tags: [{ tag }] });
});

test("with --fields a person sees only those too, of a list and of one thing", async () => {
  const { id } = await mailTo("scout");
  for (const list of [["inbox", "--agent", "scout"], ["sent"], ["search", "s"], ["thread", id]])
    expect(await text(...list, "--fields", "id,subject")).toBe(`id                subject\n${id}  s\n`);
  expect(await text("read", id, "--agent", "scout", "--fields", "subject,body")).toBe("subject  s\nbody     b\n");
  expect(await text("whoami", "--fields", "principal")).toBe("principal  admin\n");
  await ground.json(["chat", "send", "hello"]);
  expect(await text("chat", "read", "--fields", "content")).toBe("content\nhello\n");
  const { id: next } = await mailTo("scout");
  const { messages } = await ground.json<{ messages: object[] }>(["poll", "--agent", "scout", "--fields", "id"]);
  expect(messages).toEqual([{ id: next }]);
});

test("a rule of the policy is typed as JSON and told in words, and what is no JSON is refused", async () => {
  const rule = JSON.stringify({ tool: "git_push", decision: "deny_continue", reason: "No." });
  expect(await text("policy", "propose", rule, "--reason", "Often")).toMatch(/^Proposed, as \d{16}: .*git_push.*\n$/);
  const lines = (await text("policy", "preview", rule, "--limit", "3")).split("\n");
  expect(lines).toEqual([expect.stringContaining("git_push"), expect.stringMatching(/\bcalls?\b/), ""]);
  for (const verb of ["propose", "preview"]) {
    const { code, stderr } = await ground.parley([
      "policy",
      verb,
      "{",
      ...(verb === "propose" ? ["--reason", "x"] : []),
    ]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/it is not JSON: /)]);
  }
});

test("a field that there is not is said, with those that there are", async () => {
  const { stdout } = await atTerminal(ground, ["agent", "list", "--fields", "name,nonsense"]);
  expect(stdout).toContain("There is no field nonsense here. There are: name, type, ");
  expect(stdout).toMatch(/^name\nscout\n/m);
});

const ISO = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

test("sentences for people tell their own time and name commands, which run as printed", async () => {
  const unknown = await ground.parley(["chat", "send", "--agent", "nobody", "hi", "--format", "text"]);
  const [, command = ""] = / (\S*parley agent list .*) shows who there is/.exec(unknown.stderr) ?? [];
  expect(command).toBe(ground.line("agent list"));

  const { id } = await ground.json<{ id: string }>(["token", "create", "--role", "human", "--name", "ana"]);
  const again = ["token", "revoke", id, "--yes"];
  await ground.json(again);
  expect((await ground.parley([...again, "--format", "text"])).stderr).toMatch(/was revoked at \d\d:\d\d\.\n$/);
  for (const exact of ["--utc", "--json"])
    expect((await ground.parley([...again, exact, ...(exact === "--utc" ? ["--format", "text"] : [])])).stderr).toMatch(
      ISO,
    );

  expect(await text("status")).toMatch(/^ started +just now$/m);
  expect(await text("status")).not.toMatch(ISO);
  expect(await text("status", "--utc")).toMatch(ISO);
});

test("what waits for the hub, or was refused, is told by the command and the clock", async () => {
  await ground.json(["send", "--to", "nobody", "--subject", "s", "--body", "b", "--queue-only"]);
  expect(await text("queue", "list")).toMatch(/ {2}send {2}/);
  const { stderr } = await ground.parley(["whoami", "--format", "text"]);
  expect(stderr).toMatch(/^parley: The send of \d\d:\d\d was refused \(RECIPIENT_NOT_FOUND\)/);
});

test("whoever named an agent is told to type the next command with its name", async () => {
  const as = ["--agent", "scout"];
  const ended = await ground.parley(["watch", ...as, "--timeout", "1s"]);
  expect(ended.stdout).toContain(`run \`${ground.line("watch --agent scout --timeout 1s")}\``);
  const { id } = await mailTo("scout");
  const [, read = ""] = /`([^`]*) read ID --agent scout --home [^`]*`/.exec(await text("wait", ...as)) ?? [];
  expect(read).toMatch(/parley$/);
  const context = await ground.parley(["inbox", ...as, "--format", "context"]);
  expect(context.stdout).toContain(`\`${ground.line("inbox --agent scout")}\``);
  expect(await ground.json(["read", id, ...as])).toMatchObject({ id });
});

test("a hint at the next page keeps text that looks like an option", async () => {
  for (const subject of ["-x one", "-x two"])
    await ground.json(["send", "--to", "scout", "--body", "b", `--subject=${subject}`]);
  const shown = (await ground.parley(["search", "-n", "1", "--in", "sent", "--format", "text", "--", "-x"])).stdout;
  const hint = /There is more: \S+parley (.*)\n/.exec(shown)?.[1] ?? "";
  expect(hint).toMatch(/ --before \d{16} .* -- -x$/);
  expect((await ground.parley(hint.split(" "))).stdout).toContain("one");
});
