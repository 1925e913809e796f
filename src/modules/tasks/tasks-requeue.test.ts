/** Dead tasks whose dedup key belongs to another task by now. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const HOUR_MS = 3_600_000;

eachDatabase((open) => {
  const make = async (hub: TestHub, content: string, more: object = {}): Promise<string> =>
    (await hub.call(hub.admin, "task_create", { content, max_attempts: 1, ...more })).body.id;
  /** One that was made and given up. */
  const makeDead = async (hub: TestHub, worker: string, content: string, more: object = {}): Promise<string> => {
    const task_id = await make(hub, content, more);
    expect((await hub.call(worker, "get_next_task")).body.next_task.id).toBe(task_id);
    expect((await hub.call(worker, "task_fail", { task_id, error: "no luck" })).body.status).toBe("dead");
    return task_id;
  };
  const requeue = async (hub: TestHub, more: object) => (await hub.call(hub.admin, "task_requeue", more)).body;
  const statusOf = async (hub: TestHub, task_id: string) =>
    (await hub.call(hub.admin, "task_get", { task_id })).body.status;

  test("TASK-18 and TASK-19: a dead task is not requeued while another one with its dedup key lives, and one is told which", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    const nightly = { dedup_key: "nightly" };
    const dead = await makeDead(hub, mason, "old", nightly);
    const living = await make(hub, "new", nightly);
    const refused = await hub.call(hub.admin, "task_requeue", { task_id: dead });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: "CONFLICT",
        error: `Task ${dead} has the key "nightly", and so has task ${living}, which is 'pending'. Requeue it once that one has ended.`,
        task_id: living,
        status: "pending",
      },
    ]);
    expect(await statusOf(hub, dead)).toBe("dead");
    await hub.call(hub.admin, "task_cancel", { task_id: living });
    expect(await requeue(hub, { task_id: dead })).toMatchObject({ requeued: 1, tasks: [{ status: "pending" }] });
  });

  test("TASK-34: in bulk such tasks are left out, which preview, result and the board say, and all others are requeued", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    const taken = await makeDead(hub, mason, "taken", { dedup_key: "nightly" });
    const [first, second] = [
      await makeDead(hub, mason, "twice", { dedup_key: "weekly" }),
      await makeDead(hub, mason, "twice", { dedup_key: "weekly" }),
    ];
    const plain = await makeDead(hub, mason, "plain");
    await make(hub, "lives", { dedup_key: "nightly" });

    expect(await requeue(hub, { preview: true })).toMatchObject({ matched: 2, left_out: 2, requeued: 0 });
    const begun = await requeue(hub, { per_minute: 60 });
    expect(begun).toMatchObject({ matched: 2, left_out: 2 });
    await hub.tick(0);
    expect((await hub.call(hub.admin, "task_board")).body.requeue).toMatchObject({
      total: 2,
      requeued: 1,
      left_out: 1,
    });
    for (let n = 0; n < 3; n += 1) await hub.tick(1000);
    expect(await Promise.all([taken, first, second, plain].map((id) => statusOf(hub, id)))).toEqual([
      ...["dead", "pending", "dead", "pending"],
    ]);
    expect((await hub.call(hub.admin, "task_board")).body.requeue).toBeNull();
    expect(await requeue(hub, { stop: begun.requeue_id })).toMatchObject({ matched: 2, requeued: 2, left_out: 2 });
    expect(await requeue(hub, {})).toMatchObject({ matched: 0, left_out: 2, requeue_id: null });
  });

  test("a task of the plan that was handed over anew is not requeued beside the new one", async () => {
    const hub = await open({ now: START });
    const chief = await Desk.of(hub, "orchestrator", "chief");
    const mason = await Desk.of(hub, "worker", "mason");
    const owner = new Desk(hub, hub.admin);
    const [{ task_id }] = (await chief.done("add_tasks", { tasks: [{ description: "Research", queue: true }] })).tasks;
    await hub.tick(0);
    const [{ id: first }] = (await chief.done("task_list")).tasks;
    for (let n = 0; n < 3; n += 1) {
      await mason.done("get_next_task");
      await mason.done("task_fail", { task_id: first, error: "it burns" });
      await hub.tick(HOUR_MS);
    }
    await chief.done("update_task", { task_id, queue: true });
    await hub.tick(0);
    expect(await owner.refused("task_requeue", { task_id: first })).toBe("CONFLICT");
    expect(await owner.done("task_requeue", { preview: true })).toMatchObject({ matched: 0, left_out: 1 });
  });
});
