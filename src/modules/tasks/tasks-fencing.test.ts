/** What a worker may still say of a task that is not its own any more, or once more. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const MINUTE_MS = 60_000;

eachDatabase((open) => {
  const make = async (hub: TestHub, token: string, content: string) =>
    (await hub.call(token, "task_create", { content })).body;
  const claim = async (hub: TestHub, token: string) => (await hub.call(token, "get_next_task")).body;

  test("TASK-13: a stale token completes, fails and keeps nothing, and who has the task is not disturbed", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    const { id } = await make(hub, ana, "contested");
    await claim(hub, mason);
    await hub.tick(MINUTE_MS);
    const stale = { task_id: id, attempt: 1 };
    const lost = { status: 409, body: { code: "LEASE_LOST" } };
    expect(await hub.call(mason, "task_complete", { ...stale, response_summary: "late" })).toMatchObject(lost);
    await claim(hub, piper);
    expect(await hub.call(mason, "task_complete", { ...stale, response_summary: "late" })).toMatchObject(lost);
    expect(await hub.call(mason, "task_fail", { ...stale, error: "late" })).toMatchObject(lost);
    expect(await hub.call(mason, "task_heartbeat", stale)).toMatchObject(lost);
    expect(await hub.call(mason, "task_complete", { task_id: id, response_summary: "late" })).toMatchObject(lost);
    const done = await hub.call(piper, "task_complete", { task_id: id, attempt: 2, response_summary: "mine" });
    expect(done.body).toMatchObject({ status: "done", response_summary: "mine" });
    // Said again it is a success to who said it, and to nobody else.
    const again = { task_id: id, attempt: 2, response_summary: "mine" };
    expect(await hub.call(mason, "task_complete", again)).toMatchObject(lost);
    expect((await hub.call(piper, "task_complete", again)).body).toEqual(done.body);
  });

  test("TASK-13: of a task that a worker has once more, what it says of the attempt before changes nothing", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, hub.admin, "again");
    await claim(hub, mason);
    await hub.tick(MINUTE_MS);
    expect((await claim(hub, mason)).next_task).toMatchObject({ id, attempt: 2 });
    const stale = { task_id: id, attempt: 1 };
    for (const [tool, more] of [
      ["task_complete", { response_summary: "late" }],
      ["task_fail", { error: "late" }],
      ["task_release", { reason: "late" }],
      ["task_heartbeat", {}],
    ] as const)
      expect([tool, await hub.call(mason, tool, { ...stale, ...more })]).toMatchObject([
        tool,
        { status: 409, body: { code: "LEASE_LOST" } },
      ]);
    const { body } = await hub.call(hub.admin, "task_get", { task_id: id });
    expect(body).toMatchObject({ status: "processing", attempt: 2, claimed_by: "mason" });
    const done = await hub.call(mason, "task_complete", { task_id: id, attempt: 2, response_summary: "in time" });
    expect(done.body).toMatchObject({ status: "done", response_summary: "in time" });
  });
});
