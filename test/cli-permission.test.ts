/** REACH-7: a permission that waits reaches people at once, and is decided wherever somebody answers first. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Ground, PARLEY } from "../src/testing/process.ts";
import { atTerminal } from "../src/testing/terminal.ts";

interface Notice {
  id: string;
  kind: string;
  title: string;
  text: string;
  choices: string[] | null;
  raised_by: string | null;
  state: string;
}

const ATTENDED = { CLAUDE_CODE_SESSION_ATTENDED: "1", PARLEY_HOOK_MS: "30000" };
let ground: Ground;

beforeAll(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
});
afterAll(() => ground[Symbol.asyncDispose]());

const notices = async (open: boolean): Promise<Notice[]> =>
  (await ground.json<{ notices: Notice[] }>(["call", "notice_list", JSON.stringify({ open })])).notices;

/** The session's open question, once it is there. */
async function question(agent: string): Promise<Notice> {
  for (;;) {
    const found = (await notices(true)).find(({ raised_by }) => raised_by === agent);
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function closed(id: string): Promise<Notice> {
  for (;;) {
    const found = (await notices(false)).find((notice) => notice.id === id);
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
}

let count = 0;

class Session {
  readonly id = `permission-${++count}`;
  readonly agent = `asker-${count}`;

  async start(): Promise<this> {
    await ground.json(["identity", "ensure", "--session-id", this.id, "--agent", this.agent]);
    return this;
  }

  /** A hook as its client runs it, which lives on while the client does. */
  fire(event: string, fields: object, { env = ATTENDED, args = [] as string[] } = {}) {
    const child = spawn(PARLEY, ["hook", event, ...args], { env: ground.env(env), stdio: "pipe" });
    child.stdin.end(JSON.stringify({ session_id: this.id, cwd: ground.folder, hook_event_name: event, ...fields }));
    const ended = Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]).then(
      ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
    );
    return { child, ended };
  }
}

const BASH = { tool_name: "Bash", tool_input: { command: "rm -rf build", description: "Clean" } };

test.each([
  ["approve", { behavior: "allow" }],
  ["deny", { behavior: "deny", message: "admin denied it on Parley." }],
  ["deny-abort", { behavior: "deny", message: "admin denied it on Parley.", interrupt: true }],
])("people are asked at once with tool and arguments, and their %s decides", async (choice, decision) => {
  const session = await new Session().start();
  const { ended } = session.fire("PermissionRequest", BASH);
  const asked = await question(session.agent);
  expect(asked).toMatchObject({
    kind: "approval",
    title: `${session.agent} asks: may it use Bash?`,
    text: expect.stringContaining(`{"command": "rm -rf build", "description": "Clean"}`),
    choices: ["approve", "deny_continue", "deny_abort"],
  });
  await ground.json(["approvals", "decide", choice, asked.id]);
  expect(await ended).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })}\n`,
    stderr: "",
  });
});

test("people are asked by a hub that is slow, too: the client goes on beside this hook, and waits for none of it", async () => {
  const session = await new Session().start();
  const { ended } = session.fire("PermissionRequest", BASH, { env: { ...ATTENDED, PARLEY_HOOK_MS: "1" } });
  const { id } = await question(session.agent);
  await ground.json(["approvals", "decide", "approve", id]);
  expect((await ended).stdout).toContain('"behavior":"allow"');
});

test("in a run without a person nobody is asked, and nothing is waited for", async () => {
  const session = await new Session().start();
  const { ended } = session.fire("PermissionRequest", BASH, {
    env: { CLAUDE_CODE_SESSION_ATTENDED: "0", PARLEY_HOOK_MS: "30000" },
  });
  expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await notices(true)).filter(({ raised_by }) => raised_by === session.agent)).toEqual([]);
});

test.each([
  ["PostToolBatch", { tool_calls: [{ tool_name: "Read" }, BASH] }],
  ["Stop", { stop_hook_active: false }],
  ["UserPromptSubmit", { prompt: "go on" }],
])("what was settled at the terminal is taken back when %s shows it", async (event, fields) => {
  const session = await new Session().start();
  const { ended } = session.fire("PermissionRequest", BASH);
  const { id } = await question(session.agent);
  await session.fire(event, fields).ended;
  expect(await closed(id)).toMatchObject({ state: "withdrawn" });
  expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("what another tool did settles nothing", async () => {
  const session = await new Session().start();
  const { child, ended } = session.fire("PermissionRequest", BASH);
  const { id } = await question(session.agent);
  await session.fire("PostToolBatch", { tool_calls: [{ ...BASH, tool_input: { command: "ls" } }] }).ended;
  expect(await question(session.agent)).toMatchObject({ id });
  child.kill("SIGTERM");
  expect(await closed(id)).toMatchObject({ state: "withdrawn" });
  expect(await ended).toMatchObject({ code: 0, stdout: "" });
});

test("what is too long to be shown whole cannot be allowed from afar", async () => {
  const session = await new Session().start();
  const tool_input = { command: `${"echo ok; ".repeat(1200)}rm -rf /` };
  const { ended } = session.fire("PermissionRequest", { tool_name: "Bash", tool_input });
  const { id, choices, text } = await question(session.agent);
  expect({ choices, text }).toEqual({
    choices: ["deny_continue", "leave"],
    text: expect.stringContaining("only its terminal can allow it"),
  });
  await ground.json(["approvals", "decide", "leave", id]);
  expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("at a terminal nothing is allowed before all of it was shown and agreed to", async () => {
  const session = await new Session().start();
  const { ended } = session.fire("PermissionRequest", {
    ...BASH,
    tool_input: { command: `ls${"\n".repeat(90)}; rm -rf /\u202e` },
  });
  const { id } = await question(session.agent);
  const hint = (await ground.parley(["needs", "--format", "text"])).stdout;
  expect(hint).toContain(`To deal with it: ${ground.line(`approvals decide approve ${id}`)}`);
  const allow = ["approvals", "decide", "approve", id.slice(0, 15)];
  const no = await atTerminal(ground, allow, { typed: "n\n" });
  expect(no.stdout).toContain("; rm -rf /\\u202e");
  expect(no.stdout).toMatch(/Approve it\? \[y\/N\].*Nothing was decided\./s);
  expect(await question(session.agent)).toMatchObject({ id, state: "open" });
  await atTerminal(ground, allow, { typed: "y\n" });
  expect((await ended).stdout).toContain('"behavior":"allow"');
  // Whoever comes second is asked nothing.
  const late = await atTerminal(ground, ["approvals", "decide", "approve", id], { typed: "" });
  expect(late.stdout).toContain("admin has allowed it already, at a terminal.");
  expect(late.stdout).not.toContain("[y/N]");
});

test("Codex is not kept from asking its own person: people are told, and the hook ends", async () => {
  const session = await new Session().start();
  // Its hook's parent is this test, which was started as no `codex exec`.
  const codex = { env: { ...ATTENDED }, args: ["--client", "codex"] };
  expect(await session.fire("PermissionRequest", BASH, codex).ended).toEqual({ code: 0, stdout: "", stderr: "" });
  const { id, choices } = await question(session.agent);
  expect(choices).toEqual(["leave"]);
  await session.fire("Stop", { stop_hook_active: false }, codex).ended;
  expect(await closed(id)).toMatchObject({ state: "withdrawn" });
});

test("a reason and other arguments reach the client", async () => {
  const session = await new Session().start();
  const first = session.fire("PermissionRequest", BASH);
  const denied = await question(session.agent);
  await ground.json(["approvals", "decide", "deny", denied.id, "--reason", "Use make clean."]);
  expect((await first.ended).stdout).toContain("admin denied it on Parley: Use make clean.");
  const second = session.fire("PermissionRequest", BASH);
  const edited = await question(session.agent);
  const updatedInput = { command: "make clean" };
  await ground.json(["approvals", "decide", "approve", edited.id, "--arguments", JSON.stringify(updatedInput)]);
  const { hookSpecificOutput } = JSON.parse((await second.ended).stdout);
  expect(hookSpecificOutput.decision).toEqual({ behavior: "allow", updatedInput });
});

test.each([
  ["claude", "deny_abort", { behavior: "deny", message: "The policy denies it: No.", interrupt: true }],
  ["codex", "deny_abort", { behavior: "deny", message: "The policy denies it: No." }],
  ["codex", "allow", { behavior: "allow" }],
])("what the policy decides is %s's answer at once, and nobody is asked: %s", async (client, decision, told) => {
  const session = await new Session().start();
  const tool_name = `Tool-${client}-${decision}`;
  const rule = JSON.stringify({ tool: tool_name, decision, reason: "No." });
  const { id } = await ground.json<{ id: string }>(["policy", "propose", rule, "--reason", "A test."]);
  await ground.json(["policy", "decide", "accept", id]);
  const fired = session.fire("PermissionRequest", { ...BASH, tool_name }, { args: ["--client", client] });
  const { stdout } = await fired.ended;
  expect(JSON.parse(stdout).hookSpecificOutput.decision).toEqual(told);
  expect((await notices(true)).filter(({ raised_by }) => raised_by === session.agent)).toEqual([]);
});

test("a hub that is gone allows nothing", async () => {
  await using other = new Ground({ in_process: true });
  const hub = await other.serve();
  await other.json(["identity", "ensure", "--session-id", "s", "--agent", "asker"]);
  const child = spawn(PARLEY, ["hook", "PermissionRequest"], { env: other.env(ATTENDED), stdio: "pipe" });
  child.stdin.end(JSON.stringify({ session_id: "s", cwd: other.folder, ...BASH }));
  const ended = Promise.all([once(child, "exit"), text(child.stdout)]);
  const asked = async () => (await other.json<{ count: number }>(["needs"])).count;
  while ((await asked()) === 0) await new Promise((done) => setTimeout(done, 50));
  await hub.kill("SIGKILL");
  child.kill("SIGTERM");
  expect((await ended)[1]).toBe("");
});
