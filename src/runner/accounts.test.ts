/** A run uses an account: its runs and its cost count for the account's budget, and a quota that it meets holds the account. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, planRun, runOver, showRun, unruly } from "../testing/runs.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

const RESET = "2027-03-01T14:00:00.000Z";

const asClaude = (...steps: string[]) => ({ ...unruly(...steps), client: "claude" });
const create = async (hub: TestHub, more: object = {}): Promise<string> =>
  (await hub.call(hub.admin, "task_create", { content: "Build it", ...more })).body.id;
const taskOf = async (hub: TestHub, task_id: string) => (await hub.call(hub.admin, "task_get", { task_id })).body;
const needsOf = async (hub: TestHub) => (await hub.call(hub.admin, "need_list")).body.needs;
/** The run once it waits for something. */
const waiting = (hub: TestHub, id: string) =>
  until(async () => {
    await hub.tick(0);
    const run = await showRun(hub, id);
    return run.waits_for === null ? undefined : run;
  });
const overWorkers = (hub: TestHub) =>
  until(async () => {
    await hub.tick(0);
    const { runs } = (await hub.call(hub.admin, "run_list", { kind: "worker" })).body;
    return runs[0]?.ended_at ? runs : undefined;
  });

eachDatabase((open) => {
  test("TASK-36: what a run costs uses up its account's budget, holds the next run and asks a person", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: { ...asClaude("cost:1.50"), account: "team" } });
    await hub.call(hub.admin, "budget_set", { scope: "account", name: "team", per_day: { cost_usd: 1 } });
    const first = await runOver(hub, await planRun(hub));
    expect(first).toMatchObject({ state: "done", account: "team", cost_usd: 1.5 });
    const id = await planRun(hub, { name: "weekly" });
    expect(await waiting(hub, id)).toMatchObject({ state: "queued", waits_for: "budget", attempt: 0 });
    const needs = await needsOf(hub);
    expect(needs).toMatchObject([{ kind: "task.budget", title: expect.stringContaining("account team") }]);
    expect(needs[0].text).toContain("$1.50 of $1.00");
    await hub.settle(hub.admin, { id: needs[0].id, choice: "allow" });
    await hub.tick(30_000);
    await hub.tick(30_000);
    expect(await runOver(hub, id)).toMatchObject({ state: "done", attempt: 1 });
  });

  test("TASK-36: a worker that is started uses the default account: at its budget of runs the next task is held and says why", async () => {
    const hub = await open({ now: START });
    define(hub, { worker: unruly("work") });
    await hub.tick(0);
    await hub.call(hub.admin, "budget_set", { scope: "account", name: "default", per_day: { runs: 1 } });
    const done = await create(hub);
    const [run] = await overWorkers(hub);
    // It is the last one there may be, and was given what it was started for.
    expect(await taskOf(hub, done)).toMatchObject({ status: "done" });
    expect(run).toMatchObject({ state: "done", account: "default" });
    expect(await needsOf(hub)).toMatchObject([{ kind: "task.budget", title: expect.stringContaining("default") }]);
    const held = await create(hub);
    await hub.tick(60_000);
    expect(await taskOf(hub, held)).toMatchObject({ status: "pending", hold: { reason: "budget", budget: "account" } });
    expect((await hub.call(hub.admin, "run_list", { kind: "worker" })).body.runs).toHaveLength(1);
  });

  test("TASK-31: a worker that meets a quota gives its task back for nothing, and the account is held until then, visibly", async () => {
    const hub = await open({ now: START });
    define(hub, { worker: asClaude("take", `quota:${RESET}`) });
    await hub.tick(0);
    const [one, other] = [await create(hub), await create(hub)];
    const [run] = await until(async () => {
      await hub.tick(0);
      const { runs } = (await hub.call(hub.admin, "run_list", { kind: "worker" })).body;
      return runs[0]?.waits_for === "quota" ? runs : undefined;
    });
    expect(run).toMatchObject({ state: "queued", not_before: RESET });
    expect(await taskOf(hub, one)).toMatchObject({
      ...{ status: "pending", hold: { reason: "quota", account: "default", until: RESET } },
      attempts: [{ outcome: "throttled", error: `Run ${run.id} had it: Limit reached` }],
    });
    expect(await taskOf(hub, other)).toMatchObject({ held_for: "quota" });
    // Whatever uses the same account waits with it.
    define(hub, { worker: unruly("work"), trigger: unruly("say:ran") });
    const trigger = await planRun(hub);
    expect(await waiting(hub, trigger)).toMatchObject({ waits_for: "quota", not_before: RESET });
    await hub.tick(Date.parse(RESET) - START);
    await until(async () => {
      await hub.tick(1000);
      return (await taskOf(hub, other)).status === "done";
    });
    const { status, attempt, max_attempts, attempts } = await taskOf(hub, one);
    expect([status, attempt, max_attempts]).toEqual(["done", 2, 3]);
    expect(attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["throttled", "done"]);
    expect(await runOver(hub, trigger)).toMatchObject({ state: "done" });
  });

  test("TASK-31: a person who ends the hold of an account has its runs begin, and not when the quota was to end", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: { ...asClaude(`quota:${RESET}`), account: "team" } });
    const id = await planRun(hub);
    expect(await waiting(hub, id)).toMatchObject({ waits_for: "quota", not_before: RESET });
    define(hub, { trigger: { ...asClaude("say:ran"), account: "team" } });
    await hub.call(hub.admin, "throttle_set", { account: "team" });
    await hub.tick(0);
    await hub.tick(0);
    expect((await runOver(hub, id)).attempts.map(({ outcome }) => outcome)).toEqual(["throttled", "done"]);
  });
});
