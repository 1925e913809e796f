/** The tasks of a worker that the hub has started: its own while it lives, and given back as it ended. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, planRun, runOver, unruly } from "../testing/runs.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const LEASE_MS = 60_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-run-tasks-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const go = (): void => writeFileSync(join(folder, "go"), "");
const atGo = (): string => `wait:${join(folder, "go")}`;

const taskOf = async (hub: TestHub, task_id: string) => (await hub.call(hub.admin, "task_get", { task_id })).body;
const outcomes = async (hub: TestHub, task_id: string): Promise<unknown[]> =>
  (await taskOf(hub, task_id)).attempts.map(({ outcome }: { outcome: string | null }) => outcome);
/** A task that a worker which is started so has taken, and its run. */
async function taken(hub: TestHub, worker: object): Promise<{ task_id: string; run_id: string }> {
  define(hub, { worker });
  await hub.tick(0);
  const { body } = await hub.call(hub.admin, "task_create", { content: "Build it" });
  await until(async () => {
    await hub.tick(0);
    return (await taskOf(hub, body.id)).status === "processing";
  });
  const { runs } = (await hub.call(hub.admin, "run_list", { kind: "worker" })).body;
  return { task_id: body.id, run_id: runs[0].id };
}

eachDatabase((open) => {
  test("TASK-12: the runner renews the lease of a task that its worker holds, for as long as that lives", async () => {
    const hub = await open({ now: START });
    const { task_id } = await taken(hub, unruly("take", atGo(), "finish"));
    for (let n = 0; n < 6; n += 1) await hub.tick(LEASE_MS * 0.9);
    const task = await taskOf(hub, task_id);
    expect(task).toMatchObject({ status: "processing", attempt: 1 });
    expect(Date.parse(task.lease_expires_at)).toBe(START + LEASE_MS * 0.9 * 6 + LEASE_MS);
    go();
    await until(async () => (await taskOf(hub, task_id)).status === "done");
    expect(await outcomes(hub, task_id)).toEqual(["done"]);
  });

  test("TASK-12: a task of another process under the worker's name is neither kept nor given back by its run", async () => {
    const hub = await open({ now: START });
    define(hub, { worker: unruly("say:ran") });
    await hub.tick(0);
    const { body } = await hub.call(hub.admin, "task_create", { content: "Build it" });
    const { runs } = await until(async () => {
      await hub.tick(0);
      const { body } = await hub.call(hub.admin, "run_list", { kind: "worker" });
      return body.runs.length > 0 ? body : undefined;
    });
    await runOver(hub, runs[0].id);
    const elsewhere = await hub.token("worker", "worker");
    await hub.call(elsewhere, "get_next_task");
    define(hub, { worker: unruly(atGo()) });
    await hub.call(hub.admin, "task_create", { content: "Another" });
    await until(async () => {
      await hub.tick(1000);
      const { body } = await hub.call(hub.admin, "run_list", { state: "running" });
      return body.runs.length === 1;
    });
    expect(await taskOf(hub, body.id)).toMatchObject({ status: "processing", claimed_by: "worker" });
    await hub.tick(LEASE_MS);
    expect(await outcomes(hub, body.id)).toEqual(["expired"]);
  });

  test.each([
    ["ends without a word", ["take", "say:bye"], "failed"],
    ["fails", ["take", "crash:3"], "failed"],
    ["is killed", ["take", "kill"], "failed"],
  ])(
    "a worker that %s has used up an attempt of its task, at once and not when the lease ends",
    async (_, steps, as) => {
      const hub = await open({ now: START });
      define(hub, { worker: unruly(...steps) });
      await hub.tick(0);
      const { body } = await hub.call(hub.admin, "task_create", { content: "Build it" });
      const task = await until(async () => {
        await hub.tick(0);
        const task = await taskOf(hub, body.id);
        return task.attempts.length === 1 && task.status === "pending" ? task : undefined;
      });
      expect(task).toMatchObject({ held_for: "delay", attempts: [{ outcome: as, worker: "worker" }] });
      expect(task.attempts[0].error).toMatch(/^Run \d+ had it: /);
    },
  );

  test("a run that a person stops gives its task back, and it costs no attempt", async () => {
    const hub = await open({ now: START });
    const { task_id, run_id } = await taken(hub, unruly("take", "hang"));
    await hub.call(hub.admin, "run_pause");
    await hub.call(hub.admin, "run_stop", { id: run_id });
    await runOver(hub, run_id);
    expect(await taskOf(hub, task_id)).toMatchObject({
      ...{ status: "pending", held_for: null, claimed_by: null },
      attempts: [{ outcome: "released" }],
    });
  });

  test("an agent that speaks MCP through parley mcp over stdio takes a task, keeps it and completes it", async () => {
    const hub = await open({ now: START });
    const { task_id } = await taken(hub, unruly("stdio", "take", atGo(), "finish"));
    for (let n = 0; n < 2; n += 1) await hub.tick(LEASE_MS * 0.9);
    expect(await taskOf(hub, task_id)).toMatchObject({ status: "processing", attempt: 1, claimed_by: "worker" });
    go();
    await until(async () => (await taskOf(hub, task_id)).status === "done");
  });

  test("RUNNER-4: the session id is stored before the program is started", async () => {
    const hub = await open({ now: START });
    const found = join(folder, "found");
    // Whatever it is given when it starts, the run shows already.
    const asks = `fetch(process.env.PARLEY_URL + "/api/tools/run_show", { method: "POST", headers: { authorization: "Bearer " + process.argv[2] },
      body: JSON.stringify({ id: process.env.PARLEY_CAUSE }) }).then((r) => r.text()).then((t) => require("fs").writeFileSync(process.argv[1],
      JSON.stringify({ own: process.env.PARLEY_NEW_SESSION_ID, shown: JSON.parse(t).session_id })))`;
    define(hub, { trigger: { argv: [process.execPath, "-e", asks, found, hub.admin], cwd: folder } });
    await runOver(hub, await planRun(hub, { session_mode: "persistent" }));
    const { own, shown } = JSON.parse(readFileSync(found, "utf8"));
    expect([typeof own, shown]).toEqual(["string", own]);
  });
});
