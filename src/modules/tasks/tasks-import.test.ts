import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

const OLD = {
  source_key: "atlas:1:2026-02-01T10:00:00.000Z",
  channel: "signal",
  sender: "+49123",
  content: "remind me",
  status: "done",
  response_summary: "You are reminded.",
  created_at: "2026-02-01T10:00:00.000Z",
  processed_at: "2026-02-01T10:05:00.000Z",
  awaits: [],
};
const WAITING = {
  ...OLD,
  source_key: "atlas:2:2026-02-02T10:00:00.000Z",
  content: "answer it",
  status: "pending",
  response_summary: null,
  processed_at: null,
  awaits: [{ trigger_name: "gmail", session_key: "thread-7" }],
};

eachDatabase((open) => {
  test("tasks of another queue are taken with their times, once however often, and all of a call or none", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    expect((await hub.call(mason, "task_import", { tasks: [OLD] })).status).toBe(403);
    const large = { ...WAITING, source_key: "atlas:3", content: "x".repeat(2 * 1024 * 1024 + 1) };
    expect((await hub.call(ana, "task_import", { tasks: [OLD, large] })).status).toBe(413);
    expect((await hub.call(ana, "inbox_stats", {})).body.total).toBe(0);

    const { body: first } = await hub.call(ana, "task_import", { tasks: [OLD, WAITING] });
    const { body: again } = await hub.call(ana, "task_import", { tasks: [WAITING, OLD, OLD] });
    expect(first.tasks.map(({ known }: { known: boolean }) => known)).toEqual([false, false]);
    expect(again.tasks).toEqual(
      [first.tasks[1], first.tasks[0], first.tasks[0]].map((one) => ({ ...one, known: true })),
    );
    expect((await hub.call(ana, "inbox_stats", {})).body).toMatchObject({
      total: 2,
      by_status: { pending: 1, done: 1 },
    });
    const { body: old } = await hub.call(ana, "task_get", { task_id: first.tasks[0].task_id });
    expect(old).toMatchObject({ status: "done", created_at: OLD.created_at, processed_at: OLD.processed_at });

    const { next_task } = (await hub.call(mason, "get_next_task", {})).body;
    expect(next_task).toMatchObject({ content: "answer it", sender: "+49123", created_at: OLD.created_at });
    await hub.call(mason, "task_complete", { task_id: next_task.id, response_summary: "Answered." });
    const { wakes } = (await hub.call(ana, "wake_list", {})).body;
    expect(wakes).toMatchObject([{ task_id: next_task.id, trigger_name: "gmail", session_key: "thread-7" }]);
  });
});
