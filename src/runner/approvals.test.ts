/** Runs of Claude Code whose calls the policy decides, and people where it asks: by a program that does as the real one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemActor } from "../context.ts";
import { announceNode, claim, listNodes } from "../modules/runs/index.ts";
import type { Call } from "../testing/agents/fake-calls.ts";
import { FAKE_CLIENT } from "../testing/agents/fake-client.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, planRun, runOver, showRun } from "../testing/runs.ts";
import { writtenLines } from "../testing/written.ts";
import { Definitions } from "./definitions.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-deferred-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const linesOf = (name: string): string[] => writtenLines(file(name));
const ran = (): unknown[] => linesOf("ran").map((line) => JSON.parse(line).input);
const prompts = (): string[] => linesOf("log").map((line) => JSON.parse(line).prompt);

const bash = (command: string, more: object = {}): Call => ({ name: "Bash", input: { command, ...more } });
const PROMPT = "Look at the builds";

/** What the model calls, turn by turn, in what the hub starts. */
function use(hub: TestHub, calls: readonly (readonly Call[])[], more: object = {}, kind = "trigger"): void {
  writeFileSync(file("calls"), JSON.stringify(calls));
  const program = { client: "claude", argv: [process.execPath, FAKE_CLIENT, "claude", folder], cwd: folder };
  define(hub, { [kind]: { ...program, approvals: true, ...more } });
}

async function rules(hub: TestHub, ...given: object[]): Promise<void> {
  const document = { rules: given, default: "ask" };
  const { version } = (await hub.call(hub.admin, "policy_get")).body;
  const { status, body } = await hub.call(hub.admin, "policy_set", { document, expected_version: version });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** The run once it waits for a person, and what for. */
async function waiting(hub: TestHub, id: string) {
  const run = await until(async () => {
    const shown = await showRun(hub, id);
    return shown.waits_for === "approval" ? shown : undefined;
  });
  const { body: approval } = await hub.call(hub.admin, "approval_get", { id: run.approval_id });
  return { run, approval };
}

const decide = (hub: TestHub, { id, digest }: { id: string; digest: string }, decision: object) =>
  hub.call(hub.admin, "approval_decide", { id, digest, ...decision });

const kept = { session_mode: "persistent", prompt: PROMPT } as const;

eachDatabase((open, database) => {
  test("what the policy asks about ends the process, the run waits, and goes on once with what was approved", async () => {
    const hub = await open();
    await rules(hub, { tool: "Read", server: "claude-code", decision: "allow" });
    use(hub, [
      [{ name: "Read", input: { file_path: "a" } }],
      [bash("make")],
      [{ name: "Read", input: { file_path: "b" } }],
    ]);
    const id = await planRun(hub, { prompt: PROMPT });
    const { run, approval } = await waiting(hub, id);
    expect(run).toMatchObject({ state: "queued", pid: null, ended_at: null, error: null, not_before: null });
    expect(run.attempts).toMatchObject([{ outcome: "deferred", exit_code: 0 }]);
    expect(approval).toMatchObject({
      ...{ state: "pending", agent: "trigger:nightly", server: "claude-code", tool: "Bash", executes: "client" },
      ...{ arguments: { command: "make" }, covers: "arguments", call_id: "toolu_2" },
    });
    expect(ran()).toEqual([{ file_path: "a" }]);
    await decide(hub, approval, { decision: "approve", edited_arguments: { command: "make test" } });
    const over = await runOver(hub, id);
    expect(over).toMatchObject({ state: "done", session_id: run.session_id, waits_for: null, approval_id: null });
    expect(over.attempts).toMatchObject([{ outcome: "deferred" }, { outcome: "done", resumed: true }]);
    expect(ran()).toEqual([{ file_path: "a" }, { command: "make test" }, { file_path: "b" }]);
    expect(prompts()).toEqual([PROMPT, ""]);
    // Each attempt says what its session has cost in all.
    expect(over.cost_usd).toBe(0.5);
  });

  test("POLICY-15: of the hub's own tools what was approved at its hook is called once, and what no hook was asked about the hub asks about", async () => {
    const hub = await open();
    const filing = (content: string, more: object = {}) => ({
      name: "mcp__parley__task_create",
      input: { content },
      ...more,
    });
    use(hub, [[filing("Asked")], [filing("Asked", { unasked: true })]]);
    const id = await planRun(hub, { prompt: PROMPT });
    const { approval } = await waiting(hub, id);
    expect(approval).toMatchObject({ server: "parley", tool: "task_create", executes: "client" });
    await decide(hub, approval, { decision: "approve" });
    expect((await runOver(hub, id)).state).toBe("done");
    expect((await hub.call(hub.admin, "task_list")).body.tasks).toMatchObject([{ content: "Asked" }]);
    const { approvals } = (await hub.call(hub.admin, "approval_list")).body;
    expect(approvals).toMatchObject([
      { state: "pending", executes: "hub", agent: "trigger:nightly", arguments: { content: "Asked" } },
      { state: "answered", executes: "client" },
    ]);
    // A denial that ends what asked ends nothing once that is over.
    await decide(hub, approvals[0], { decision: "deny_abort" });
    expect(await showRun(hub, id)).toMatchObject({ state: "done" });
    use(hub, [[filing("Denied", { unasked: true })], [bash("later", { wait: join(folder, "never") })]]);
    await rules(hub, { tool: "task_create", decision: "deny_abort" }, { tool: "Bash", decision: "allow" });
    const next = await planRun(hub, { prompt: PROMPT });
    expect(await runOver(hub, next)).toMatchObject({ state: "stopped" });
  });

  test("a denial is told with its reason, and a time that is over never as a refusal", async () => {
    const hub = await open({ now: Date.parse("2027-03-01T09:00:00Z") });
    use(hub, [[bash("one")], [bash("two")]]);
    const id = await planRun(hub, kept);
    const first = await waiting(hub, id);
    await decide(hub, first.approval, { decision: "deny_continue", reason: "not today" });
    const second = await until(async () => {
      const seen = await waiting(hub, id);
      return seen.approval.id === first.approval.id ? undefined : seen;
    });
    expect(second.approval.expires_at).toMatch(/^2027-03-08/);
    await hub.tick(8 * 24 * 3600 * 1000);
    expect((await runOver(hub, id)).state).toBe("done");
    expect(linesOf("told")).toEqual([
      "admin denied it: not today",
      "Nobody decided in time. It was not run, and nobody has refused it.",
    ]);
    expect(ran()).toEqual([]);
  });

  test("it holds its lane while it waits, and stopping it takes the question back; its session is told so", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { approval } = await waiting(hub, id);
    const next = await planRun(hub, { ...kept, prompt: "And now?" });
    expect(await showRun(hub, next)).toMatchObject({ state: "queued", waits_for: "turn" });
    expect((await hub.call(hub.admin, "run_stop", { id })).body).toMatchObject({ state: "stopped", waits_for: null });
    expect((await hub.call(hub.admin, "approval_get", { id: approval.id })).body.state).toBe("withdrawn");
    const after = await waiting(hub, next);
    expect(linesOf("told")).toEqual([
      "It was taken back before anybody decided. It was not run, and nobody has refused it.",
    ]);
    expect(after.approval.id).not.toBe(approval.id);
    expect(ran()).toEqual([]);
  });

  test("a denial that ends the turn ends the run, and nothing is started for it", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { approval } = await waiting(hub, id);
    await decide(hub, approval, { decision: "deny_abort", reason: "leave it" });
    const over = await runOver(hub, id);
    expect(over).toMatchObject({ state: "stopped", stop_requested_by: "admin", attempt: 1 });
    expect(over.error).toBe("admin denied its call, which ends it: leave it");
  });

  test("of several calls of a turn one is put off, and the others are told to be made again", async () => {
    const hub = await open();
    await rules(hub, { tool: "Read", server: "claude-code", decision: "allow" });
    use(hub, [[bash("one"), bash("two"), { name: "Read", input: { file_path: "a" } }]]);
    const id = await planRun(hub, kept);
    const { approval } = await waiting(hub, id);
    expect(approval.arguments).toEqual({ command: "one" });
    expect((await hub.call(hub.admin, "approval_list", { state: "pending" })).body.approvals).toHaveLength(1);
    expect(linesOf("told")).toEqual([expect.stringContaining("Make it again, by itself")]);
    await decide(hub, approval, { decision: "approve" });
    expect((await runOver(hub, id)).state).toBe("done");
    expect(ran()).toEqual([{ file_path: "a" }, { command: "one" }]);
  });

  test("what was put off waits for its machine while that is there, and begins anew elsewhere once it is not", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { run, approval } = await waiting(hub, id);
    define(hub, {});
    await decide(hub, approval, { decision: "approve" });
    await until(async () => (await showRun(hub, id)).waits_for !== "approval");
    const ctx = hub.hub.ctx(systemActor("main"));
    const elsewhere = { id: "other", boot: "1", host: "elsewhere" };
    const wanted = { id: Number(id), node: elsewhere, chooses_session: true, timeout_ms: 1000, account: "default" };
    expect(await claim(ctx, { ...wanted, can_go_on: true })).toBeUndefined();
    const can = { trigger: false, triggers: [], worker: false, mail: false };
    for (const node of await listNodes(ctx)) await announceNode(ctx, { ...elsewhere, id: node, can, lease_ms: 60_000 });
    const claimed = await claim(ctx, { ...wanted, can_go_on: true });
    expect(claimed).toMatchObject({ is_resumed: false, run: { prompt: PROMPT } });
    expect(claimed?.session_id).not.toBe(run.session_id);
    expect(ran()).toEqual([]);
  });

  test("a worker keeps its task while it waits, past its lease, and gives it back when it is stopped", async () => {
    const hub = await open({ now: Date.parse("2027-03-01T09:00:00Z") });
    await rules(hub, { tool: "get_next_task", server: "parley", decision: "allow" });
    use(hub, [[{ name: "mcp__parley__get_next_task", input: {} }], [bash("make")]], {}, "worker");
    await hub.tick(0);
    const { body: task } = await hub.call(hub.admin, "task_create", { content: "Build it" });
    const statusOf = async () => (await hub.call(hub.admin, "task_get", { task_id: task.id })).body.status;
    const { id } = await until(async () => {
      await hub.tick(0);
      return (await hub.call(hub.admin, "run_list", { kind: "worker" })).body.runs[0];
    });
    await waiting(hub, id);
    for (let hours = 0; hours < 3; hours++) await hub.tick(3600_000);
    expect(await statusOf()).toBe("processing");
    await hub.call(hub.admin, "run_stop", { id });
    expect(await statusOf()).toBe("pending");
  });

  // What follows is between the hub and a program, whichever database there is.
  if (database !== "sqlite") return;

  test("what the policy denies is denied with its reason, and what ends the turn ends the run", async () => {
    const hub = await open();
    await rules(
      hub,
      { tool: "Bash", server: "claude-code", when: { command: "rm" }, decision: "deny_continue", reason: "keep it" },
      { tool: "Bash", server: "claude-code", decision: "deny_abort", reason: "no shell" },
    );
    use(hub, [[bash("rm")], [bash("make")], [bash("wait", { wait: file("never") })]]);
    const over = await runOver(hub, await planRun(hub, kept));
    // It may be ended before it has written down the second.
    expect(linesOf("told")[0]).toBe("The policy denies it: keep it");
    expect(over).toMatchObject({ state: "stopped", stop_requested_by: "policy" });
    expect(ran()).toEqual([]);
  });

  test("calls of our own tools follow the rules for parley, and leave no approval where they are allowed", async () => {
    const hub = await open();
    use(hub, [
      [{ name: "mcp__parley__task_list", input: {} }],
      [{ name: "mcp__parley__task_create", input: { content: "x" } }],
    ]);
    const id = await planRun(hub, kept);
    const { approval } = await waiting(hub, id);
    expect(approval).toMatchObject({ server: "parley", tool: "task_create" });
    expect((await hub.call(hub.admin, "approval_list")).body.approvals).toHaveLength(1);
  });

  test("a subagent cannot wait, and is told to leave the call to the conversation", async () => {
    const hub = await open();
    use(hub, [[{ ...bash("one"), agent_id: "a1" }]]);
    expect((await runOver(hub, await planRun(hub, kept))).state).toBe("done");
    expect(linesOf("told")).toEqual([expect.stringContaining("a subagent cannot wait")]);
    expect((await hub.call(hub.admin, "approval_list")).body.approvals).toEqual([]);
  });

  test("what was approved for a run that was stopped before it went on is not given to the next one of its session", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { approval } = await waiting(hub, id);
    define(hub, {});
    await decide(hub, approval, { decision: "approve" });
    await until(async () => (await showRun(hub, id)).waits_for !== "approval");
    await hub.call(hub.admin, "run_stop", { id });
    use(hub, []);
    expect((await runOver(hub, await planRun(hub, kept))).state).toBe("done");
    expect(linesOf("told")).toEqual([expect.stringContaining("approved for a run that ended before it was run")]);
    expect(ran()).toEqual([]);
  });

  test("mail that comes while an agent's run waits for an approval starts another one behind it", async () => {
    const hub = await open({ now: Date.parse("2027-03-01T09:00:00Z") });
    await hub.token("agent", "scout");
    use(hub, [[bash("one")]], {}, "mail");
    await hub.tick(0);
    const send = () => hub.call(hub.admin, "mail_send", { to: ["scout"], subject: "Build", body: "It is red." });
    const listed = (count: number) =>
      until(async () => {
        await hub.tick(0);
        const { runs } = (await hub.call(hub.admin, "run_list", { kind: "mail" })).body;
        return runs.length === count ? runs : undefined;
      });
    await send();
    const [first] = await listed(1);
    const { approval } = await waiting(hub, first.id);
    // It has been asked for an hour, and nobody takes the agent to be there any more.
    await hub.tick(3_600_000);
    await send();
    await hub.tick(0);
    expect(await listed(1)).toMatchObject([{ id: first.id }]);
    await decide(hub, approval, { decision: "approve" });
    // It goes on with what it had asked about, and was never told of the mail.
    expect(await listed(2)).toMatchObject([{ ended_at: null }, { id: first.id, state: "done" }]);
  });

  test("a session that its client has lost meanwhile begins anew with its prompt, and asks anew", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { run, approval } = await waiting(hub, id);
    rmSync(file(run.session_id ?? ""));
    await decide(hub, approval, { decision: "approve" });
    const anew = await until(async () => {
      const seen = await waiting(hub, id);
      return seen.approval.id === approval.id ? undefined : seen;
    });
    expect(anew.run.attempts.map(({ outcome }) => outcome)).toEqual(["deferred", "session_lost", "deferred"]);
    expect(anew.run.session_id).not.toBe(run.session_id);
    expect(ran()).toEqual([]);
    expect(prompts()).toEqual([PROMPT, "", PROMPT]);
  });

  test("what was approved is given to exactly the call that was shown, whatever its client has under that name by then", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { run, approval } = await waiting(hub, id);
    const transcript = file(`${run.session_id}.calls`);
    const { deferred, ...rest } = JSON.parse(readFileSync(transcript, "utf8"));
    writeFileSync(transcript, JSON.stringify({ ...rest, deferred: { ...deferred, input: { command: "two" } } }));
    await decide(hub, approval, { decision: "approve" });
    await runOver(hub, id);
    expect(ran()).toEqual([]);
    expect(linesOf("told")).toEqual([expect.stringContaining("was used for another call")]);
  });

  test("without a program that goes on with it, it begins anew in a session of its own", async () => {
    const hub = await open();
    use(hub, [[bash("one")]]);
    const id = await planRun(hub, kept);
    const { run, approval } = await waiting(hub, id);
    use(hub, [], { approvals: false });
    await decide(hub, approval, { decision: "approve" });
    const over = await runOver(hub, id);
    expect(over.state).toBe("done");
    expect(over.session_id).not.toBe(run.session_id);
    expect(ran()).toEqual([]);
  });

  test("only the token of a run asks", async () => {
    const hub = await open();
    const scout = await hub.token("agent", "scout");
    const call = {
      client_session_id: "s",
      call_id: "c",
      server: "claude-code",
      tool: "Bash",
      arguments: "{}",
      can_wait: true,
    };
    expect((await hub.call(scout, "run_permit", call)).status).toBe(403);
  });

  test.each([
    [{ client: "codex" }, "approvals are there for the client claude alone"],
    [{ argv: ["worker"] }, "approvals are there for the client claude alone"],
    [{ client: "claude", argv: ["claude", "--settings=mine.json"] }, "its argv has neither --settings nor --bare"],
  ])("approvals are refused where nothing would ask: %j", (wrong, why) => {
    writeFileSync(file("runner.json"), JSON.stringify({ trigger: { approvals: true, ...wrong } }), { mode: 0o600 });
    expect(() => Definitions.read(folder)).toThrow(why);
  });

  test("its hook comes by the command line, also where the owner has turned hooks off, and nothing else allows a call", async () => {
    const hub = await open();
    use(hub, []);
    await runOver(hub, await planRun(hub, kept));
    const { args } = JSON.parse(linesOf("log")[0] ?? "");
    expect(args).not.toContain("--allowedTools");
    const { disableAllHooks, hooks } = JSON.parse(args[args.indexOf("--settings") + 1]);
    expect(disableAllHooks).toBe(false);
    const [{ command, onFailure }] = hooks.PreToolUse[0].hooks;
    expect([command, onFailure]).toEqual([expect.stringMatching(/^exec '.*\/bin\/parley' hook PreToolUse$/), "block"]);
  });
});
