/** Somebody sets the clock ahead or back: what is promised of leases, delays, quotas and budgets holds all the same. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
const LEASE_MS = 60 * SECOND_MS;

eachDatabase((open) => {
  let hub: TestHub;
  let mason: string;
  let piper: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
  });

  const make = async (content: string, more: object = {}): Promise<string> =>
    (await hub.call(hub.admin, "task_create", { content, ...more })).body.id;
  const next = async (worker: string) => (await hub.call(worker, "get_next_task")).body.next_task;
  const complete = (worker: string, task_id: string, attempt: number) =>
    hub.call(worker, "task_complete", { task_id, attempt, response_summary: "done" });
  const get = async (task_id: string) => (await hub.call(hub.admin, "task_get", { task_id })).body;

  test("G10 and G11: set back, the lease of a worker that went away ends all the same: not before its time, at most twice as late", async () => {
    const id = await make("one");
    expect(await next(mason)).toMatchObject({ id, attempt: 1 });
    await hub.setClock(-HOUR_MS);
    await hub.tick(LEASE_MS);
    expect(await next(piper)).toBeNull();
    await hub.tick(LEASE_MS);
    expect(await next(piper)).toMatchObject({ id, attempt: 2 });
    expect((await complete(mason, id, 1)).body.code).toBe("LEASE_LOST");
    expect((await complete(piper, id, 2)).body).toMatchObject({ status: "done", claimed_by: "piper" });
  });

  test("TASK-12: set ahead or back, who says that it is at work keeps its task", async () => {
    const id = await make("one");
    await next(mason);
    for (const ms of [-HOUR_MS, LEASE_MS / 3, -DAY_MS, LEASE_MS / 3]) {
      await hub.setClock(ms);
      for (let n = 0; n < 4; n++) {
        await hub.tick(LEASE_MS / 3);
        const beat = await hub.call(mason, "task_heartbeat", { task_id: id, attempt: 1 });
        expect([ms, beat.status]).toEqual([ms, 200]);
        expect(await next(piper)).toBeNull();
      }
    }
    expect((await complete(mason, id, 1)).body.status).toBe("done");
  });

  test("G10: set ahead by hours every lease is over, each task is one other worker's, and set back again nothing changes hands twice", async () => {
    const ids = [await make("one"), await make("two")];
    const sage = await hub.token("worker", "sage");
    expect([(await next(mason)).id, (await next(piper)).id]).toEqual(ids);
    await hub.setClock(5 * HOUR_MS);
    const [first, second] = [await next(sage), await next(mason)];
    expect([first, second]).toMatchObject([
      { id: ids[0], attempt: 2 },
      { id: ids[1], attempt: 2 },
    ]);
    await hub.setClock(-5 * HOUR_MS);
    await hub.tick(0);
    expect(await next(piper)).toBeNull();
    for (const [worker, id] of [
      [mason, ids[0]],
      [piper, ids[1]],
    ] as const)
      expect((await complete(worker, id ?? "", 1)).body.code).toBe("LEASE_LOST");
    expect((await complete(sage, ids[0] ?? "", 2)).body.status).toBe("done");
    expect((await complete(mason, ids[1] ?? "", 2)).body.status).toBe("done");
    for (const id of ids)
      expect((await get(id)).attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["expired", "done"]);
  });

  test("TASK-20: set ahead, a delayed task is there at once and is not held anew when the clock is put right; set back, it comes not before its time and not never", async () => {
    const early = await make("early", { run_at: "1h" });
    await hub.setClock(2 * HOUR_MS);
    await hub.setClock(-2 * HOUR_MS);
    expect(await get(early)).toMatchObject({ held_for: null });
    expect(await next(mason)).toMatchObject({ id: early });

    hub = await open({ now: START });
    mason = await hub.token("worker", "mason");
    const late = await make("late", { run_at: "1h" });
    await hub.setClock(-2 * HOUR_MS);
    await hub.tick(HOUR_MS);
    expect(await next(mason)).toBeNull();
    await hub.tick(HOUR_MS);
    expect(await next(mason)).toMatchObject({ id: late });
  });

  test("TASK-16: set back, what failed is tried again, at most twice as late", async () => {
    const id = await make("one");
    await next(mason);
    await hub.call(mason, "task_fail", { task_id: id, attempt: 1, error: "No." });
    await hub.setClock(-DAY_MS);
    await hub.tick(7 * SECOND_MS);
    expect(await next(mason)).toBeNull();
    await hub.tick(19 * SECOND_MS);
    expect(await next(mason)).toMatchObject({ id, attempt: 2 });
  });

  test("TASK-31: set ahead a quota is over, and stays so when the clock is put right; set back it lasts at most twice as long", async () => {
    const throttled = async (): Promise<void> => {
      const { id: task_id, attempt } = await next(mason);
      await hub.call(mason, "task_fail", { task_id, attempt, error: "Quota.", throttled_until: "1h" });
      expect(await next(mason)).toBeNull();
    };
    const id = await make("one");
    await throttled();
    await hub.setClock(2 * HOUR_MS);
    await hub.setClock(-2 * HOUR_MS);
    await throttled();
    await hub.setClock(-HOUR_MS);
    await hub.tick(HOUR_MS);
    expect(await get(id)).toMatchObject({ held_for: "quota" });
    await hub.tick(HOUR_MS);
    expect(await next(mason)).toMatchObject({ id, attempt: 3 });
  });

  test("TASK-36: set ahead by a day a budget is that day's, and set back it is not renewed once more", async () => {
    await hub.call(hub.admin, "budget_set", { scope: "space", per_day: { tasks: 1 } });
    for (const content of ["one", "two", "three"]) await make(content);
    const doOne = async (): Promise<boolean> => {
      const task = await next(mason);
      if (task) await complete(mason, task.id, task.attempt);
      return task !== null;
    };
    expect([await doOne(), await doOne()]).toEqual([true, false]);
    await hub.setClock(DAY_MS);
    expect([await doOne(), await doOne()]).toEqual([true, false]);
    await hub.setClock(-DAY_MS);
    await hub.tick(HOUR_MS);
    expect(await doOne()).toBe(false);
    await hub.setClock(DAY_MS);
    expect(await doOne()).toBe(false);
    await hub.tick(DAY_MS);
    expect(await doOne()).toBe(true);
  });
});
