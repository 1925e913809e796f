/** G15: tasks, triggers and runs of one space are nowhere in another, though the same people are in both. */
import { expect, test } from "vitest";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase } from "../../testing/hub.ts";
import { planRun } from "../../testing/runs.ts";

eachDatabase((open) => {
  test("nothing of the queue crosses a space: no task, count, claim, wait, event or run", async () => {
    const hub = await open();
    const other = "sess_other";
    await hub.call(hub.admin, "space_create", { id: other });
    const there = { "x-session-id": other };
    const mason = await hub.token("worker", "mason");
    const otter = await hub.token("worker", "otter", other);
    using stream = await EventStream.open(hub.url, { token: otter, topics: "tasks", headers: there });
    const { id } = (await hub.call(hub.admin, "task_create", { content: "secret", dedup_key: "k" })).body;
    await hub.call(hub.admin, "throttle_set", { account: "team", until: "1h" });
    await hub.call(hub.admin, "budget_set", { scope: "space", per_day: { tasks: 5 } });
    const run = await planRun(hub);

    // As one that does not exist, word for word.
    const asked = async (task_id: string) => (await hub.call(otter, "task_get", { task_id }, there)).body;
    expect(JSON.stringify(await asked(id)).replaceAll(id, "N")).toBe(
      JSON.stringify(await asked("7")).replaceAll("7", "N"),
    );
    expect((await hub.call(otter, "get_next_task", {}, there)).body.next_task).toBeNull();
    expect((await hub.call(otter, "inbox_stats", {}, there)).body.total).toBe(0);
    expect((await hub.call(otter, "task_list", {}, there)).body.tasks).toEqual([]);
    for (const [tool, more] of [
      ["task_complete", { response_summary: "x" }],
      ["task_fail", { error: "x" }],
      ["task_heartbeat", {}],
    ] as const)
      expect((await hub.call(otter, tool, { task_id: id, ...more }, there)).body.code).toBe("TASK_NOT_FOUND");
    const list = async (tool: string) => (await hub.call(hub.admin, tool, {}, there)).body;
    expect((await list("run_list")).runs).toEqual([]);
    expect((await list("budget_list")).budgets).toEqual([]);
    expect((await list("task_board")).counts).toMatchObject({ waiting: 0, held: 0 });
    expect((await hub.call(hub.admin, "run_show", { id: run }, there)).body.code).toBe("NOT_FOUND");
    // The same key means another task there.
    const twin = (await hub.call(hub.admin, "task_create", { content: "another", dedup_key: "k" }, there)).body;
    expect(twin.id).not.toBe(id);
    expect((await stream.until(1)).map(({ data }) => data.task_id)).toEqual([twin.id]);
    expect((await hub.call(mason, "get_next_task")).body.next_task.id).toBe(id);
    expect((await hub.call(otter, "get_next_task", {}, there)).body.next_task.id).toBe(twin.id);
  });
});
