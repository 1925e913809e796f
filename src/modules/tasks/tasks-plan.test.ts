/** What a team plans and hands to the queue. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

eachDatabase((open) => {
  const start = async (hub: TestHub) => ({
    chief: await Desk.of(hub, "orchestrator", "chief"),
    mason: await Desk.of(hub, "worker", "mason"),
  });
  const add = async (desk: Desk, ...tasks: object[]): Promise<string[]> =>
    (await desk.done("add_tasks", { tasks })).tasks.map(({ task_id }: { task_id: string }) => task_id);
  const plan = async (desk: Desk) => (await desk.done("read_plan")).plan;
  const waiting = async (desk: Desk) => (await desk.done("task_list")).tasks;

  test("a task of the plan that is handed to the queue follows what becomes of it there", async () => {
    const hub = await open({ now: START });
    const { chief, mason } = await start(hub);
    const [task_id] = await add(chief, { description: "Research prices", queue: true });
    await hub.tick(0);
    const [queued] = await waiting(chief);
    expect(queued).toMatchObject({ content: "Research prices", sender: "chief", channel: "plan", status: "pending" });
    expect(await plan(chief)).toMatchObject([{ status: "todo", queued: true, queue_task_id: queued.id }]);
    // Said again, it is in the queue already.
    await chief.done("update_task", { task_id, queue: true });
    await hub.tick(0);
    expect(await waiting(chief)).toHaveLength(1);
    await mason.done("get_next_task");
    expect(await plan(chief)).toMatchObject([{ status: "in_progress" }]);
    await mason.done("task_complete", { task_id: queued.id, response_summary: "Ten a month" });
    expect(await plan(chief)).toMatchObject([{ status: "completed", summary: "Ten a month", queued: false }]);
  });

  test("what fails there is blocked with the reason, and handed over again it is done anew", async () => {
    const hub = await open({ now: START });
    const { chief, mason } = await start(hub);
    const [task_id] = await add(chief, { description: "Research", queue: true });
    await hub.tick(0);
    const [first] = await waiting(chief);
    await chief.done("task_cancel", { task_id: first.id, reason: "no budget" });
    expect(await plan(chief)).toMatchObject([{ status: "blocked", summary: "Cancelled: no budget", queued: false }]);
    await chief.done("update_task", { task_id, queue: true });
    await hub.tick(0);
    const [second] = await waiting(chief);
    expect(second.id).not.toBe(first.id);
    expect(await plan(chief)).toMatchObject([{ status: "todo", queue_task_id: second.id }]);
    for (let n = 0; n < 3; n += 1) {
      await mason.done("get_next_task");
      await mason.done("task_fail", { task_id: second.id, error: "it burns" });
      await hub.tick(3_600_000);
    }
    expect(await plan(chief)).toMatchObject([{ status: "blocked", summary: "it burns", queued: false }]);
    // The queue's own retry counts as long as nothing else was made of it.
    await new Desk(hub, hub.admin).done("task_requeue", { task_id: second.id });
    await hub.tick(1000);
    const { next_task } = await mason.done("get_next_task");
    expect(await plan(chief)).toMatchObject([{ status: "in_progress", summary: null }]);
    await mason.done("task_complete", { task_id: next_task.id, response_summary: "out" });
    expect(await plan(chief)).toMatchObject([{ status: "completed", summary: "out" }]);
  });

  test("one that depends on others is handed over when the last of them is completed, by hand or by the queue", async () => {
    const hub = await open({ now: START });
    const { chief, mason } = await start(hub);
    const [one] = await add(
      chief,
      { description: "one" },
      { description: "two", dependencies: [0], queue: true },
      { description: "three", dependencies: [1], queue: true },
    );
    await hub.tick(0);
    expect(await waiting(chief)).toEqual([]);
    await chief.done("update_task", { task_id: one, status: "completed" });
    for (const content of ["two", "three"]) {
      await hub.tick(0);
      expect(await waiting(chief)).toMatchObject([{ content }]);
      const { next_task } = await mason.done("get_next_task");
      await mason.done("task_complete", { task_id: next_task.id, response_summary: "done" });
    }
    expect((await plan(chief)).map(({ status }: { status: string }) => status)).toEqual(Array(3).fill("completed"));
  });

  test("what somebody completed by hand stays completed, whatever the queue says", async () => {
    const hub = await open({ now: START });
    const { chief } = await start(hub);
    const [task_id] = await add(chief, { description: "one", queue: true });
    await hub.tick(0);
    const [queued] = await waiting(chief);
    await chief.done("update_task", { task_id, status: "completed", summary: "I did it" });
    await chief.done("task_cancel", { task_id: queued.id });
    expect(await plan(chief)).toMatchObject([{ status: "completed", summary: "I did it", queued: false }]);
    expect(await chief.refused("update_task", { task_id, queue: true })).toBe("CONFLICT");
  });

  test("handed over and not made a task of when the hub ended, it is by the next one, once", async () => {
    const first = await open({ now: START });
    const { chief } = await start(first);
    const { tasks } = await chief.done("add_tasks", { tasks: [{ description: "one", queue: true }] });
    await first.stop();
    const hub = await open({ same: first });
    const again = await Desk.of(hub, "orchestrator", "chief");
    await hub.tick(0);
    await hub.tick(1000);
    expect(await waiting(again)).toHaveLength(1);
    expect(await plan(again)).toMatchObject([{ id: tasks[0].task_id, queued: true }]);
  });

  test("why there is a task is known: it was handed over from the plan", async () => {
    const hub = await open({ now: START });
    const { chief } = await start(hub);
    const [task_id] = await add(chief, { description: "one", queue: true });
    await hub.tick(0);
    const [queued] = await waiting(chief);
    const { steps } = await chief.done("event_why", { id: queued.id });
    expect(steps.map(({ kind }: { kind: string }) => kind)).toEqual(["task", "plan.queued"]);
    expect((await chief.done("event_why", { id: task_id })).steps).toMatchObject([
      { kind: "plan task", by: "chief", text: "one" },
    ]);
  });
});
