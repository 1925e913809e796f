/** What is kept for how long, and what is still known of what is gone. */
import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { listDeliveries } from "../delivery/index.ts";
import { listTrails, saveTrails } from "./store.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const DAY = 24 * 3_600_000;

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let otter: string;
  beforeEach(async () => {
    hub = await open({ now: START, config: { mail_days: 0 } });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
  });

  /** As it is with a number of days. SQLite has one process to a file. */
  async function keepFor(mail_days: number): Promise<void> {
    await hub.stop();
    hub = await open({ same: hub, now: START, config: { mail_days } });
  }

  const send = async (more: object = {}): Promise<string> =>
    (await hub.call(scout, "mail_send", { to: ["otter"], subject: "Build", body: "It is red.", ...more })).body.id;
  const update = (args: object) => hub.call(otter, "mail_update", args);
  const listed = async (folder = "inbox"): Promise<string[]> =>
    (await hub.call(otter, "mail_inbox", { folder })).body.messages.map(({ id }: { id: string }) => id);

  test("a sender sees every recipient with what is proven, also when their copy was purged", async () => {
    const id = await send({ to: ["otter", "ana"] });
    await hub.call(otter, "mail_read", { id });
    await hub.tick(DAY);
    await update({ id, action: "ack" });
    const before = (await hub.call(scout, "mail_status", { id })).body;
    const [read_at, acked_at] = [START, START + DAY].map((time) => new Date(time).toISOString());
    expect(before.recipients).toMatchObject([
      { name: "ana", state: "stored", read_at: null, acked_at: null },
      { name: "otter", state: "acknowledged", read_at, acked_at },
    ]);

    await update({ id, action: "trash" });
    await hub.tick(31 * DAY);
    expect(await listed("trash")).toEqual([]);
    expect((await hub.call(scout, "mail_status", { id })).body).toEqual(before);
  });

  test("what lies in the trash unacknowledged is kept until its deadline, which is raised", async () => {
    const [late, acked] = [await send({ deadline: "40d" }), await send({ deadline: "40d" })];
    await update({ id: acked, action: "ack" });
    await update({ ids: [late, acked], action: "trash" });
    await hub.tick(31 * DAY);
    expect(await listed("trash")).toEqual([late]);

    await hub.tick(9 * DAY);
    expect((await hub.call(ana, "notice_list")).body.notices).toMatchObject([{ kind: "mail.overdue", ref: late }]);
    // Looked at before its deadline was, it is looked at again a minute later.
    await hub.tick(60_000);
    expect(await listed("trash")).toEqual([]);
  });

  test("a deadline is raised also when the hub was down until the trash and the mail were to be purged", async () => {
    await keepFor(35);
    const late = await send({ deadline: "40d" });
    await update({ id: late, action: "trash" });
    await hub.tick(90 * DAY);
    expect((await hub.call(ana, "notice_list")).body.notices).toMatchObject([{ kind: "mail.overdue", ref: late }]);
    await hub.tick(DAY);
    expect(await listed("trash")).toEqual([]);
    expect((await hub.call(scout, "mail_status", { id: late })).status).toBe(404);
  });

  test("what sleeps outlives its days, and has as many again from when it woke", async () => {
    await keepFor(10);
    const id = await send();
    const other = await send();
    await update({ id, action: "snooze", until: "20d" });
    await hub.tick(11 * DAY);
    expect(await listed()).toEqual([]);
    expect((await hub.call(otter, "mail_read", { id: other })).status).toBe(404);
    expect(await listed("snoozed")).toEqual([id]);

    await hub.tick(9 * DAY);
    expect(await listed()).toEqual([id]);
    await hub.tick(9 * DAY);
    expect(await listed()).toEqual([id]);
    await hub.tick(2 * DAY);
    expect(await listed()).toEqual([]);
  });

  test("what has a deadline to come outlives its days, and is raised", async () => {
    await keepFor(10);
    await send({ deadline: "20d" });
    await hub.tick(15 * DAY);
    expect(await listed()).toHaveLength(1);
    await hub.tick(5 * DAY);
    expect((await hub.call(ana, "notice_list")).body.notices).toHaveLength(1);
    await hub.tick(DAY);
    expect(await listed()).toEqual([]);
  });

  test("the record of what was offered goes with its mail", async () => {
    await keepFor(10);
    const ref = Number(await send());
    await hub.call(otter, "mail_poll");
    const ctx = await hub.as(scout);
    expect(await listDeliveries(ctx, { topic: "mail", ref })).toHaveLength(1);
    await hub.tick(11 * DAY);
    expect(await listDeliveries(ctx, { topic: "mail", ref })).toEqual([]);
  });

  test("through whom mail came is forgotten after a day without any; who was stopped stays so", async () => {
    const ids = await Promise.all([scout, otter].map(async (token) => (await hub.actor(token)).principal_id));
    const [principal_id = "", other = ""] = ids;
    const trails = async () => transact(await hub.as(hub.admin), (ctx) => listTrails(ctx.tx, ids));
    const last_at = new Date(START).toISOString();
    const going = { principal_id, steps: "[]", turns: 19, person_at: "", last_at };
    const stopped = { ...going, principal_id: other, turns: 20 };
    await transact(await hub.as(hub.admin), (ctx) => saveTrails(ctx.tx, [going, stopped]));
    await hub.tick(DAY);
    expect(await trails()).toHaveLength(2);
    await hub.tick(DAY);
    expect(await trails()).toEqual([stopped]);
    await hub.tick(DAY);
    expect(await trails()).toEqual([stopped]);
  });
});
