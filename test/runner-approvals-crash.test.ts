/** A hub is killed while a run waits for a person, and right after: the run goes on by itself, and what was approved runs once. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FAKE_CLIENT } from "../src/testing/agents/fake-client.ts";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { define } from "../src/testing/runs.ts";
import { writtenLines } from "../src/testing/written.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-deferred-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const linesOf = (name: string): string[] => writtenLines(file(name));
const KILLED = { code: null, signal: "SIGKILL" };

interface Waiting {
  id: string;
  approval_id: string;
}

eachDatabaseOfHubs((database) => {
  const runs = async (restarts: Restarts) => (await callUntilKnown(restarts.admin, "run_list", {})).body.runs;
  const show = async (restarts: Restarts, id: string) =>
    (await callUntilKnown(restarts.admin, "run_show", { id })).body;
  const outcomes = ({ attempts }: { attempts: { outcome: string }[] }): string[] =>
    attempts.map(({ outcome }) => outcome);

  /** A run whose one call waits for a person. */
  async function waiting(restarts: Restarts, input: object = { command: "make" }): Promise<Waiting> {
    await restarts.start();
    writeFileSync(file("calls"), JSON.stringify([[{ name: "Bash", input }]]));
    const program = { client: "claude", argv: [process.execPath, FAKE_CLIENT, "claude", folder], cwd: folder };
    define({ home: restarts.ground.home }, { trigger: { ...program, approvals: true } });
    await restarts.hub.kill("SIGTERM");
    await restarts.start();
    const trigger = { name: "nightly", type: "manual", session_mode: "persistent", prompt: "Look at the builds" };
    await callUntilKnown(restarts.admin, "trigger_create", trigger);
    await callTool(restarts.admin, "trigger_run", { name: "nightly" });
    return until(async () => (await runs(restarts)).find((run: { waits_for: string }) => run.waits_for === "approval"));
  }

  async function decide(restarts: Restarts, { approval_id: id }: Waiting): Promise<void> {
    const { digest } = (await callUntilKnown(restarts.admin, "approval_get", { id })).body;
    await callTool(restarts.admin, "approval_decide", { id, digest, decision: "approve" });
  }

  const over = (restarts: Restarts, { id }: Waiting) =>
    until(async () => {
      const run = await show(restarts, id);
      return run.ended_at === null ? undefined : run;
    });

  test("killed while the approval waits, and again right after it was decided, the run goes on once", async () => {
    await using restarts = await Restarts.on(database);
    const run = await waiting(restarts);
    await restarts.kill();
    await restarts.start({ PARLEY_FAILPOINT: "approval.after_decide:kill" });
    expect(await show(restarts, run.id)).toMatchObject({ state: "queued", waits_for: "approval", attempt: 1 });
    // Killed in the transaction of the decision, which is then nobody's.
    await decide(restarts, run);
    expect(await restarts.ended()).toEqual(KILLED);
    await restarts.start();
    expect(await show(restarts, run.id)).toMatchObject({ waits_for: "approval", attempt: 1 });
    await decide(restarts, run);
    await restarts.kill();
    await restarts.start();
    const ended = await over(restarts, run);
    expect(ended.state).toBe("done");
    expect(outcomes(ended).filter((outcome) => outcome !== "lost")).toEqual(["deferred", "done"]);
    expect(linesOf("ran")).toHaveLength(1);
    expect(await runs(restarts)).toHaveLength(1);
  });

  test("killed before the process that goes on has asked, what was approved runs once with the next", async () => {
    await using restarts = await Restarts.on(database);
    const run = await waiting(restarts);
    await restarts.kill();
    await restarts.start({ PARLEY_FAILPOINT: "run.after_spawn:kill" });
    await decide(restarts, run);
    expect(await restarts.ended()).toEqual(KILLED);
    await restarts.start();
    const ended = await over(restarts, run);
    expect(outcomes(ended)).toEqual(["deferred", "lost", "done"]);
    expect(linesOf("ran")).toHaveLength(1);
  });

  test("killed while what was approved is being run, it is not run again, and the model is told that nobody knows", async () => {
    await using restarts = await Restarts.on(database);
    const run = await waiting(restarts, { command: "make", wait: file("go") });
    await decide(restarts, run);
    await until(() => linesOf("ran").length === 1);
    await restarts.kill();
    await restarts.start();
    const ended = await over(restarts, run);
    expect(outcomes(ended)).toEqual(["deferred", "lost", "done"]);
    expect(linesOf("ran")).toHaveLength(1);
    expect(linesOf("told")).toEqual([expect.stringContaining("nobody knows whether it was")]);
  });

  test("killed before its end was recorded, a run that had gone on is told its prompt again, and runs nothing by that", async () => {
    await using restarts = await Restarts.on(database);
    const run = await waiting(restarts);
    await restarts.kill();
    await restarts.start({ PARLEY_FAILPOINT: "run.before_record:kill" });
    await decide(restarts, run);
    expect(await restarts.ended()).toEqual(KILLED);
    expect(linesOf("ran")).toHaveLength(1);
    await restarts.start();
    // Its model asks for the same once more, which is a call of its own.
    const again = await until(async () => {
      const shown = await show(restarts, run.id);
      return shown.waits_for === "approval" && shown.approval_id !== run.approval_id ? shown : undefined;
    });
    expect(outcomes(again)).toEqual(["deferred", "lost", "not_deferred", "deferred"]);
    expect(linesOf("ran")).toHaveLength(1);
  });
});
