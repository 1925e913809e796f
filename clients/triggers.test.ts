/** The hub starts the clients: for a trigger, for the task that its session makes, and to tell that session what came of it. */
import { expect, test } from "vitest";
import type { Run } from "../src/modules/runs/schema.ts";
import { until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import type { ModelRequest, ModelServer } from "./support/model-server.ts";
import { type Call, call, codexRunCall, mcpTool, say } from "./support/script.ts";

const BRIEF = "Count the builds that were red last night.";
const RESULT = "Seven of them were red.";
/** A schedule has its minute; a client is slow to start. */
const LIMIT_MS = 150_000;

type CallTool = (tool: string, input?: Record<string, unknown>) => Call;
const claudeCall: CallTool = (tool, input) => call(mcpTool(tool), input);

/** What the worker was given last. */
const taskIn = ({ text }: ModelRequest): string => {
  const [, id] = text.slice(text.lastIndexOf("next_task")).match(/\\*"id\\*": ?\\*"(\d+)/) ?? [];
  if (id === undefined) throw new Error(`No task in ${text.slice(-1_000)}`);
  return id;
};

/** A worker's model: it takes the one task there is, and completes it. */
function works(model: ModelServer, tool: CallTool): void {
  const complete = (request: ModelRequest) =>
    tool("task_complete", { task_id: taskIn(request), response_summary: RESULT });
  model.whenTold("Tasks wait for you.", tool("get_next_task"), complete, say("All done."));
}

/** Makes a trigger that has a task made; gives the run that it was fired for, and that which told its session of the end. */
async function relayed(desk: Desk, trigger: object): Promise<[Run, Run]> {
  const made = { name: "nightly", session_mode: "persistent", ...trigger };
  await desk.call("trigger_create", made);
  const becomes = async () => (await desk.call<{ becomes: string }>("trigger_test", { name: "nightly" })).becomes;
  await until(async () => (await becomes()) === "run");
  if ("type" in trigger && trigger.type === "manual") await desk.call("trigger_run", { name: "nightly" });
  const listed = (limit: number) => desk.call<{ runs: Run[] }>("run_list", { kind: "trigger", limit });
  await until(async () => (await listed(1)).runs[0], LIMIT_MS);
  // Once is what is looked at; the next minute is not.
  await desk.call("trigger_update", { name: "nightly", enabled: false });
  const [relay, fired] = await until(async () => {
    const { runs } = await listed(5);
    return runs.length === 2 && runs.every(({ ended_at }) => ended_at !== null) ? runs : undefined;
  }, LIMIT_MS);
  if (!relay || !fired) throw new Error("There were two.");
  return [fired, relay];
}

/** The session was resumed, and its model was told the result behind what it was first told. */
async function expectTold(desk: Desk, model: ModelServer, [fired, relay]: [Run, Run], prompt: string): Promise<void> {
  expect([fired.state, relay.state, relay.error]).toEqual(["done", "done", null]);
  expect(relay.session_id).toBe(fired.session_id);
  await model.received([prompt, BRIEF, "has ended: it is done", RESULT]);
  expect((await desk.call<{ wakes: unknown[] }>("wake_list")).wakes).toEqual([]);
  const { trigger } = await desk.call<{ trigger: { run_count: number } }>("trigger_get", { name: "nightly" });
  expect(trigger.run_count).toBe(1);
}

test("RUNNER-1, RUNNER-7: a cron trigger starts Claude Code, a worker completes its task, and its session is resumed with the result", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const { model, env } = claude;
  works(model, claudeCall);
  model.whenTold("which this trigger waits for", say("Passed on."));
  const prompt = model.script("nightly", claudeCall("task_create", { content: BRIEF }), say("It is being counted."));
  desk.runs({ trigger: { client: "claude", env }, worker: { client: "claude", env } });
  const runs = await relayed(desk, { type: "cron", schedule: "* * * * *", prompt });
  await expectTold(desk, model, runs, prompt);
});

test("RUNNER-1, RUNNER-7: a trigger starts Codex, a worker completes its task, and its session is resumed with the result", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  // As somebody else, and by a program: neither is to stand in the way.
  await codex.connect("stdio");
  const { model, env } = codex;
  works(model, codexRunCall);
  model.whenTold("which this trigger waits for", say("Passed on."));
  const prompt = model.script("nightly", codexRunCall("task_create", { content: BRIEF }), say("It is being counted."));
  desk.runs({ trigger: { client: "codex", env }, worker: { client: "codex", env } });
  const runs = await relayed(desk, { type: "manual", prompt });
  await expectTold(desk, model, runs, prompt);
  expect(new Set(model.turns.flatMap(({ tools }) => tools.filter((tool) => tool.includes("parley"))))).toEqual(
    new Set(["mcp__parley_run"]),
  );
});
