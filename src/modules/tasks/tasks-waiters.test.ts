/** Agents and people who wait for a task that somebody else has sent. */
import { expect, test, vi } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

interface Letter {
  from: string;
  subject: string;
}

eachDatabase((open) => {
  const people = async (hub: TestHub) => ({
    ana: await hub.token("human", "ana"),
    scout: await hub.token("agent", "scout"),
    mason: await hub.token("worker", "mason"),
  });
  const make = async (hub: TestHub, token: string, more: object = {}): Promise<string> =>
    (await hub.call(token, "task_create", { content: "Run the tests", ...more })).body.id;
  const complete = async (hub: TestHub, worker: string, response_summary = "All pass."): Promise<void> => {
    const { id: task_id } = (await hub.call(worker, "get_next_task")).body.next_task;
    expect((await hub.call(worker, "task_complete", { task_id, response_summary })).status).toBe(200);
  };
  const lookBriefly = async (hub: TestHub, token: string, id: string) =>
    (await hub.call(token, "task_wait", { task_ids: [id], wait_seconds: 0 })).body;
  const mailOf = async (hub: TestHub, token: string): Promise<Letter[]> =>
    (await hub.call(token, "mail_inbox", {})).body.messages.map(({ from, subject }: Letter) => ({ from, subject }));
  const awaits = async (hub: TestHub, task_id: string) =>
    (await hub.call(hub.admin, "task_get", { task_id })).body.awaits;
  const owed = async (hub: TestHub) => (await hub.call(hub.admin, "wake_list")).body.wakes;
  const DONE = [{ from: "mason", subject: "Done: Run the tests" }];

  test("whoever waits for many tasks looks at them when one of them ends, and not at whatever else happens", async () => {
    const hub = await open();
    const { ana, scout, mason } = await people(hub);
    const task_ids = [await make(hub, ana, { needs: ["gpu"] })];
    for (let n = 0; n < 9; n += 1) task_ids.push(await make(hub, scout, { needs: ["gpu"] }));
    const waiting = hub.call(ana, "task_wait", { task_ids, wait_seconds: 50 });
    for (const id of task_ids) await expect.poll(async () => (await awaits(hub, id)).length).toBe(1);
    using get = vi.spyOn(hub.hub.database, "get");
    const looks = () =>
      get.mock.calls.filter(([{ sqlite }]) => /from tasks where space_id = \? and id = /.test(sqlite.text));
    for (let n = 0; n < 5; n += 1) {
      await make(hub, n % 2 === 0 ? ana : scout);
      await complete(hub, mason);
    }
    await hub.call(ana, "task_update", { task_id: task_ids[0], content: "Run all tests" });
    expect(looks().length).toBeLessThan(task_ids.length);
    await hub.call(scout, "task_cancel", { task_id: task_ids[4] });
    expect((await waiting).body).toMatchObject({ waiting: false, task: { id: task_ids[4], status: "cancelled" } });
  });

  test("WAKE-9: an agent whose task_wait ran out gets the end as mail, once, and is owed it until then, also by the next hub", async () => {
    const hub = await open({ now: START });
    const { ana, scout, mason } = await people(hub);
    const id = await make(hub, ana);
    expect(await lookBriefly(hub, scout, id)).toMatchObject({ waiting: true });
    await complete(hub, mason);
    await hub.tick(0);
    expect(await owed(hub)).toMatchObject([{ task_id: id, waiter: "scout", trigger_name: null, offered_at: null }]);
    expect(await mailOf(hub, scout)).toEqual([]);
    await hub.stop();

    const again = await open({ same: hub, now: START + 60 * SECOND_MS });
    await again.tick(0);
    expect(await mailOf(again, scout)).toEqual(DONE);
    expect(await owed(again)).toEqual([]);
    const at = "2027-03-01T09:01:00.000Z";
    expect(await awaits(again, id)).toMatchObject([{ waiter: "scout", offered_at: at, consumed_at: at }]);
    await again.tick(DAY_MS);
    expect(await mailOf(again, scout)).toEqual(DONE);
    expect(await mailOf(again, ana)).toEqual(DONE);
  });

  test("WAKE-9: whoever was answered by task_wait gets no mail, and who sent the task gets its own alone", async () => {
    const hub = await open({ now: START });
    const { ana, scout, mason } = await people(hub);
    const id = await make(hub, ana);
    for (const token of [ana, scout]) await lookBriefly(hub, token, id);
    await complete(hub, mason);
    expect(await lookBriefly(hub, scout, id)).toMatchObject({ waiting: false, task: { id } });
    await hub.tick(0);
    await hub.tick(60 * SECOND_MS);
    expect(await mailOf(hub, scout)).toEqual([]);
    expect(await mailOf(hub, ana)).toEqual(DONE);
    expect(await owed(hub)).toEqual([]);
    for (const one of await awaits(hub, id)) expect(one.consumed_at).not.toBeNull();
  });

  test("TASK-19: whoever asks for what another has asked for already is told of its end as well, once", async () => {
    const hub = await open({ now: START });
    const { ana, scout, mason } = await people(hub);
    const same = { dedup_key: "tests" };
    const id = await make(hub, ana, same);
    for (const token of [scout, scout, ana]) expect(await make(hub, token, same)).toBe(id);
    expect((await awaits(hub, id)).map(({ waiter }: { waiter: string }) => waiter)).toEqual(["scout"]);
    await complete(hub, mason);
    await hub.tick(0);
    await hub.tick(60 * SECOND_MS);
    expect([await mailOf(hub, ana), await mailOf(hub, scout)]).toEqual([DONE, DONE]);
    expect(await owed(hub)).toEqual([]);
  });

  test("TASK-35: of a task that was requeued meanwhile the later end is told, and the earlier one not", async () => {
    const hub = await open({ now: START });
    const { ana, scout, mason } = await people(hub);
    const id = await make(hub, ana, { max_attempts: 1 });
    await lookBriefly(hub, scout, id);
    await hub.call(mason, "get_next_task");
    await hub.call(mason, "task_fail", { task_id: id, error: "no luck" });
    await hub.tick(5 * SECOND_MS);
    await hub.call(hub.admin, "task_requeue", { task_id: id });
    await hub.tick(10 * SECOND_MS);
    expect(await mailOf(hub, scout)).toEqual([]);
    await complete(hub, mason);
    await hub.tick(10 * SECOND_MS);
    expect(await mailOf(hub, scout)).toEqual(DONE);
  });

  test("TASK-30: a task that an agent waited for is forgotten after its days, once the agent has its mail", async () => {
    const hub = await open({ now: START, config: { task_days: 7 } });
    const { ana, scout, mason } = await people(hub);
    const id = await make(hub, ana);
    await lookBriefly(hub, scout, id);
    await complete(hub, mason);
    for (let n = 0; n < 3; n += 1) await hub.tick(8 * DAY_MS);
    expect(await mailOf(hub, scout)).toEqual(DONE);
    expect((await hub.call(ana, "task_get", { task_id: id })).status).toBe(404);
  });
});
