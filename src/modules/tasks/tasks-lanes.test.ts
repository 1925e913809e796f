/** What is left of lanes, workers and requeues once they are over. */
import { expect, test } from "vitest";
import { statement } from "../../db/statement.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { listLanes } from "./store.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const DAY_MS = 86_400_000;

const countWorkers = statement<Record<string, never>, { workers: number }>(
  "select count(*) as workers from task_workers",
);

eachDatabase((open) => {
  const make = async (hub: TestHub, more: object = {}): Promise<string> =>
    (await hub.call(hub.admin, "task_create", { content: "Build it", ...more })).body.id;
  const claim = async (hub: TestHub, token: string, offers: string[] = []) =>
    (await hub.call(token, "get_next_task", { offers })).body.next_task;
  const complete = (hub: TestHub, token: string, task_id: string) =>
    hub.call(token, "task_complete", { task_id, response_summary: "Built." });

  test("whoever looks for a task looks at lanes that hold one, not at all there ever were", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    for (let n = 0; n < 12; n += 1) {
      const id = await make(hub, { needs: [`repo:${n}`] });
      expect(await claim(hub, mason, [`repo:${n}`])).toMatchObject({ id });
      await complete(hub, mason, id);
    }
    const lanes = async () => (await listLanes(hub.hub.database, "main")).sort();
    expect(await lanes()).toEqual([]);
    await make(hub, { needs: ["repo:3"] });
    await make(hub, { needs: ["repo:4"], run_at: "1h" });
    for (let n = 0; n < 3; n += 1) await make(hub);
    expect(await lanes()).toEqual(["default", "default repo:3"]);
    expect(await claim(hub, mason, ["repo:4"])).toMatchObject({ needs: [] });
    await hub.tick(2 * 3_600_000);
    expect(await lanes()).toEqual(["default", "default repo:3", "default repo:4"]);
  });

  test("the tasks of one sender wait in so many lanes at most, held back or not, whatever others have waiting", async () => {
    const hub = await open({ now: START, config: { rate_limit: 1_000_000 } });
    const [scout, ana] = [await hub.token("agent", "scout"), await hub.token("human", "ana")];
    const send = async (token: string, more: object) =>
      (await hub.call(token, "task_create", { content: "Build it", ...more })).body;
    const delayed = { needs: ["x"], run_at: "1h" };
    expect(await send(scout, delayed)).toMatchObject({ status: "pending" });
    for (let n = 1; n < 100; n += 1) await send(scout, { needs: [`repo:${n}`] });
    for (let n = 100; n < 199; n += 1) await send(scout, { account: `team-${n}` });
    const last = await send(scout, { account: "the-last" });
    const refused = { code: "LIMIT_REACHED", limit: 200 };
    for (const more of [{ needs: ["one-more"] }, { account: "one-more" }, { needs: ["repo:1", "x"], run_at: "1h" }])
      expect(await send(scout, more)).toMatchObject(refused);
    for (const more of [{}, { needs: ["repo:1"] }, { account: "team-198" }, delayed])
      expect(await send(scout, more)).toMatchObject({ status: "pending" });
    expect(await send(ana, { needs: ["one-more"] })).toMatchObject({ status: "pending" });
    // A lane that is empty counts no more.
    const { id: task_id } = last;
    await hub.call(scout, "task_cancel", { task_id });
    expect(await send(scout, { needs: ["one-more"] })).toMatchObject({ status: "pending" });
  });

  test("workers that were not seen for as long as tasks are kept are forgotten, and so are requeues that are over", async () => {
    const hub = await open({ now: START, config: { task_days: 7 } });
    const mason = await hub.token("worker", "mason");
    await claim(hub, mason, ["gpu"]);
    const task_id = await make(hub, { max_attempts: 1 });
    await claim(hub, mason);
    await hub.call(mason, "task_fail", { task_id, error: "no luck" });
    const { requeue_id } = (await hub.call(hub.admin, "task_requeue", {})).body;
    await hub.tick(1000);
    const isKnown = async () => (await hub.call(hub.admin, "task_requeue", { stop: requeue_id })).status === 200;
    const workers = async () => (await hub.hub.database.get(countWorkers, {}))?.workers;
    expect([await isKnown(), await workers()]).toEqual([true, 1]);
    await hub.tick(6 * DAY_MS);
    expect([await isKnown(), await workers()]).toEqual([true, 1]);
    for (let n = 0; n < 2; n += 1) await hub.tick(8 * DAY_MS);
    expect([await isKnown(), await workers()]).toEqual([false, 0]);
  });
});
