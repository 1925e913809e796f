/** A worker that was asked to stop. */
import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

eachDatabase((open) => {
  test("TASK-23: a worker that completes what it was asked to give up has it done, and learns that it was asked, by whatever it calls", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const { id: task_id } = (await hub.call(ana, "task_create", { content: "one" })).body;
    await hub.call(mason, "get_next_task");
    await hub.call(ana, "task_cancel", { task_id, reason: "no need" });
    const asked = { cancel_requested_at: "2027-03-01T09:00:00.000Z", cancel_reason: "no need" };
    expect((await hub.call(mason, "get_next_task")).body.active_task).toMatchObject({ id: task_id, ...asked });
    const { body } = await hub.call(mason, "task_complete", { task_id, attempt: 1, response_summary: "It was done." });
    expect(body).toMatchObject({ status: "done", response_summary: "It was done.", ...asked });
    await hub.tick(0);
    const { messages } = (await hub.call(ana, "mail_inbox", {})).body;
    expect(messages).toMatchObject([{ from: "mason", subject: "Done: one" }]);
  });
});
