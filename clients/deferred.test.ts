/** What the hub starts with approvals: a call that the policy asks about is put off, and runs once a person has approved it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunDetails } from "../src/modules/runs/schema.ts";
import { until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Desk } from "./support/desk.ts";
import { type Call, call, say } from "./support/script.ts";

interface Approval {
  id: string;
  digest: string;
  arguments: { command: string };
}

const LIMIT_MS = 150_000;
const APPEND = { command: "echo once >> asked-for.txt && echo was-made", description: "Make a file" };
const OTHER = { command: "echo twice >> asked-for.txt", description: "The same again" };

const made = (desk: Desk): string => {
  const file = join(desk.project, "asked-for.txt");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** A run of a trigger whose model makes these calls in one turn, once it waits for a person. */
async function deferred(desk: Desk, claude: Claude, turn: Call): Promise<{ id: string; approval: Approval }> {
  const { model, env } = claude;
  const prompt = model.script("deferred", turn, say("All done."));
  desk.runs({ trigger: { client: "claude", env, approvals: true } });
  await desk.call("trigger_create", { name: "nightly", type: "manual", session_mode: "persistent", prompt });
  const becomes = async () => (await desk.call<{ becomes: string }>("trigger_test", { name: "nightly" })).becomes;
  await until(async () => (await becomes()) === "run");
  await desk.call("trigger_run", { name: "nightly" });
  const run = await until(async () => {
    const { runs } = await desk.call<{ runs: RunDetails[] }>("run_list", { kind: "trigger" });
    return runs.find(({ waits_for }) => waits_for === "approval");
  }, LIMIT_MS);
  return { id: run.id, approval: await desk.call<Approval>("approval_get", { id: run.approval_id }) };
}

const over = (desk: Desk, id: string): Promise<RunDetails> =>
  until(async () => {
    const run = await desk.call<RunDetails>("run_show", { id });
    return run.ended_at === null ? undefined : run;
  }, LIMIT_MS);

const decide = (desk: Desk, { id, digest }: Approval, decision: object) =>
  desk.call("approval_decide", { id, digest, ...decision });

test("RUNNER-1: Claude Code that the hub started ends with a call put off, and once a person approves it runs once and its result is in the next request", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { id, approval } = await deferred(desk, claude, call("Bash", APPEND));
  expect(made(desk)).toBe("");
  expect(claude.model.turns).toHaveLength(1);
  await decide(desk, approval, { decision: "approve" });
  await claude.model.received(["tool_result", "was-made"]);
  const run = await over(desk, id);
  expect(run.attempts.map(({ outcome, resumed }) => [outcome, resumed])).toEqual([
    ["deferred", false],
    ["done", true],
  ]);
  expect(made(desk)).toBe("once\n");
  expect(claude.model.turns).toHaveLength(2);
});

test("RUNNER-1: what a person denied of a call that was put off is told to the model of Claude Code, and nothing was run", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { id, approval } = await deferred(desk, claude, call("Bash", APPEND));
  await decide(desk, approval, { decision: "deny_continue", reason: "Not on a Friday." });
  await claude.model.received(["tool_result", "denied it: Not on a Friday."]);
  expect((await over(desk, id)).state).toBe("done");
  expect(made(desk)).toBe("");
});

test("RUNNER-1: of two calls that Claude Code makes at once one is put off and the other told to come again, and neither is lost", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { id, approval } = await deferred(desk, claude, { ...call("Bash", APPEND), beside: [call("Bash", OTHER)] });
  expect(approval.arguments.command).toBe(APPEND.command);
  const edited_arguments = { ...APPEND, command: "echo edited >> asked-for.txt && echo was-edited" };
  await decide(desk, approval, { decision: "approve", edited_arguments });
  await claude.model.received(["Make it again, by itself", "was-edited"]);
  expect((await over(desk, id)).state).toBe("done");
  expect(made(desk)).toBe("edited\n");
});
