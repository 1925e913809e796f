/** Hooks in what the hub started for a trigger or as a worker, or a runtime for its agent. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeAll(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
});
afterAll(() => ground[Symbol.asyncDispose]());

test("WATCH-8: it goes on while it has a task or one waits for it, a few times in a row; a trigger's session ends", async () => {
  const tokenOf = async (role: string, name: string): Promise<string> =>
    (await ground.json<{ token: string }>(["token", "create", "--role", role, "--name", name])).token;
  const call = (tool: string, args: object = {}, env: Record<string, string> = {}) =>
    ground.parley(["call", tool, JSON.stringify(args)], { env });
  const started = { PARLEY_HOOK_MS: "30000", PARLEY_RUN: "7.1.cookie", CLAUDE_CODE_SESSION_ATTENDED: "0" };
  const mason = { ...started, PARLEY_WORKER: "mason", PARLEY_TOKEN: await tokenOf("worker", "mason") };
  const piper = { PARLEY_TOKEN: await tokenOf("worker", "piper") };
  const stop = async (env: Record<string, string>, stop_hook_active = false) => {
    const input = JSON.stringify({ session_id: "s", hook_event_name: "Stop", stop_hook_active });
    const { code, stdout, stderr } = await ground.parley(["hook", "Stop"], { input, env });
    return code === 0 ? { code, stdout } : { code, stdout, stderr };
  };
  const ends = { code: 0, stdout: "{}\n" };

  expect(await stop(mason)).toEqual(ends);
  await call("task_create", { content: "held", run_at: "1h" });
  await call("task_create", { content: "for others", needs: ["gpu"] });
  expect(await stop(mason)).toEqual(ends);

  await call("task_create", { content: "Build it" });
  expect(await stop(mason)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("get_next_task") });
  const nightly = { ...started, PARLEY_TRIGGER: "nightly", PARLEY_TOKEN: await tokenOf("trigger", "nightly") };
  expect(await stop(nightly)).toEqual(ends);

  const { next_task } = JSON.parse((await call("get_next_task", {}, mason)).stdout);
  const keeps = { code: 2, stdout: "", stderr: expect.stringContaining(`You still have task ${next_task.id}.`) };
  const capped = { ...mason, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "2" };
  expect(await stop(capped)).toEqual(keeps);
  expect(await stop(capped, true)).toEqual(keeps);
  expect(await stop(capped, true)).toEqual(ends);

  await call("task_complete", { task_id: next_task.id, response_summary: "Built." }, mason);
  await call("task_create", { content: "Another's" });
  await call("get_next_task", {}, piper);
  expect(await stop(mason)).toEqual(ends);
});

test("what is started for a trigger, as a worker or for an agent's turn becomes no agent besides, and is told of no mail", async () => {
  const started = { PARLEY_HOOK_MS: "30000", PARLEY_RUN: "8.1.cookie", CLAUDE_CODE_SESSION_ATTENDED: "0" };
  for (const [role, variable] of [
    ["trigger", "PARLEY_TRIGGER"],
    ["worker", "PARLEY_WORKER"],
    ["agent", ""],
  ] as const) {
    const name = `${role}-at-night`;
    const { token } = await ground.json<{ token: string }>(["token", "create", "--role", role, "--name", name]);
    const before = await ground.json(["agent", "list", "--all"]);
    for (const event of ["SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"]) {
      const input = JSON.stringify({
        session_id: `of-${name}`,
        hook_event_name: event,
        source: "startup",
        prompt: "Go",
      });
      const env = variable ? { ...started, [variable]: name } : { ...started, PARLEY_RUN: "agent.cookie" };
      const { code, stdout } = await ground.parley(["hook", event], { input, env: { ...env, PARLEY_TOKEN: token } });
      expect([event, code, stdout]).toEqual([event, 0, expect.stringMatching(/^(\{\}\n)?$/)]);
    }
    expect(await ground.json(["agent", "list", "--all"])).toEqual(before);
  }
});

test("before a call of a run with approvals it fails closed: what cannot be asked about is not done", async () => {
  const call = {
    session_id: "s",
    hook_event_name: "PreToolUse",
    tool_use_id: "toolu_1",
    tool_name: "Bash",
    tool_input: {},
  };
  const fire = (input: string, env: Record<string, string> = {}) =>
    ground.parley(["hook", "PreToolUse"], { input, env });
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  const blocked = {
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("It was not run, since the hub could not be asked"),
  };
  expect(await fire(JSON.stringify(call))).toMatchObject(blocked);
  expect(await fire("no JSON", { PARLEY_RUN: "7.1.cookie", PARLEY_TOKEN: token })).toMatchObject(blocked);
  // A token, but of no run.
  expect(await fire(JSON.stringify(call), { PARLEY_RUN: "7.1.cookie", PARLEY_TOKEN: token })).toMatchObject(blocked);
});
