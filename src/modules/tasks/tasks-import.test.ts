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

  test("TASK-24: a trigger changes and cancels what it had sent in another queue, and no other trigger does", async () => {
    const hub = await open({ now: START });
    const [gmail, github] = [await hub.token("trigger", "gmail"), await hub.token("trigger", "github")];
    const sent = { ...WAITING, sender: "trigger:gmail" };
    const { tasks } = (await hub.call(hub.admin, "task_import", { tasks: [sent] })).body;
    const [{ task_id }] = tasks;
    expect((await hub.call(github, "task_cancel", { task_id })).status).toBe(403);
    expect((await hub.call(gmail, "task_update", { task_id, content: "answer it now" })).status).toBe(200);
    expect((await hub.call(gmail, "task_cancel", { task_id })).body.status).toBe("cancelled");
  });

  test("TASK-30: of what has been over for longer than tasks are kept an import says that it is removed", async () => {
    const hub = await open({ now: START, config: { task_days: 90 } });
    const late = { ...OLD, source_key: "atlas:4", processed_at: "2027-02-01T10:05:00.000Z" };
    const taken = (await hub.call(hub.admin, "task_import", { tasks: [OLD, late, WAITING] })).body.tasks;
    expect(taken.map(({ expired }: { expired: boolean }) => expired)).toEqual([true, false, false]);
  });
});
