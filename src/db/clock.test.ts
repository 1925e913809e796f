/** Order and ids never depend on a clock that moves forward. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { offsetAfter } from "./clock.ts";
import { statement } from "./statement.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
const rowsOf = (table: string) =>
  statement<{ space_id: string }, { rows: number }>(`select count(*) as rows from ${table} where space_id = :space_id`);
const TABLES = ["messages", "events", "agents", "idempotency", "due", "watermarks"].map(rowsOf);

test("another clock is believed as long as it can be true, however late its answers come", () => {
  const glance = (ahead: number, { to, from }: { to: number; from: number }) => ({
    asked: START,
    shown: START + to + ahead,
    answered: START + to + from,
  });
  // The same clock, on a machine that is busy now and then, on either way.
  for (const way of [
    { to: 0, from: 400 },
    { to: 400, from: 0 },
    { to: 1, from: 1 },
  ])
    expect(offsetAfter(0, glance(0, way))).toBe(0);
  // One that is 30 seconds ahead: what one quick answer has shown, no late one takes back.
  const quick = offsetAfter(0, glance(30_000, { to: 2, from: 2 }));
  expect(Math.abs(quick - 30_000)).toBeLessThanOrEqual(2);
  expect(offsetAfter(quick, glance(30_000, { to: 3, from: 500 }))).toBe(quick);
  // One that was set back is followed at once, as far as it can be known.
  expect(Math.abs(offsetAfter(quick, glance(-30_000, { to: 5, from: 5 })) + 30_000)).toBeLessThanOrEqual(5);
});

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
  });

  const post = async (content: string): Promise<{ id: string; ts: string }> =>
    (await hub.call(ana, "chat_human_post", { content })).body;

  test("CHAT-5: ids keep increasing across a restart and with the clock set back", async () => {
    const posted = [await post("first")];
    for (const ms of [0, 5, -HOUR, 0, 1, -30 * DAY, 60 * DAY, -60 * DAY]) {
      await hub.setClock(ms);
      posted.push(await post(`after ${ms}`));
    }
    for (const now of [START - DAY, START - 400 * DAY]) {
      await hub.stop();
      hub = await open({ same: hub, now });
      posted.push(await post(`started at ${now}`));
    }

    const ids = posted.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const times = posted.map(({ ts }) => ts);
    expect(times).toEqual([...times].sort());
    const { body } = await hub.call(ana, "chat_read_since");
    expect(body.messages.map(({ id }: { id: string }) => Number(id))).toEqual(ids);
  });

  test("a key is good for eight days: within seven it is kept, after eight it is gone", async () => {
    const once = (key: string) => hub.call(ana, "chat_human_post", { content: key }, { "idempotency-key": key });
    const first = await once("early");
    await hub.tick(DAY);
    const second = await once("late");

    await hub.tick(6 * DAY + HOUR);
    expect((await once("early")).body).toEqual(first.body);
    await hub.tick(DAY);
    expect((await once("late")).body).toEqual(second.body);
    expect((await once("early")).body.id).not.toBe(first.body.id);
    const { body } = await hub.call(ana, "chat_read_since");
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(["early", "late", "early"]);
  });

  test("SPACE-6: a space lives for 24 hours to the second, then it is gone, its data is freed and it stays gone", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_day" });
    const scout = await hub.token("agent", "scout", "sess_day");
    const headers = { "x-session-id": "sess_day", "idempotency-key": "k" };
    await hub.call(hub.admin, "chat_human_post", { content: "in it" }, headers);
    await hub.call(scout, "chat_read_and_advance");
    const rows = () =>
      Promise.all(TABLES.map(async (table) => (await hub.hub.database.get(table, { space_id: "sess_day" }))?.rows));
    expect(await rows()).not.toContain(0);

    await hub.tick(DAY - 1000);
    expect((await hub.call(scout, "chat_read_since")).status).toBe(200);
    await hub.tick(2000);
    const gone = await hub.call(scout, "chat_read_since");
    expect([gone.status, gone.body.code]).toEqual([410, "SESSION_EXPIRED"]);
    expect(await rows()).toEqual(TABLES.map(() => 0));

    await hub.stop();
    hub = await open({ same: hub });
    expect((await hub.call(scout, "chat_read_since")).status).toBe(410);
    expect((await hub.call(hub.admin, "chat_human_post", { content: "late" }, headers)).status).toBe(410);
    expect((await hub.call(hub.admin, "space_create", { id: "sess_day" })).body.code).toBe("CONFLICT");
    expect(await rows()).toEqual(TABLES.map(() => 0));
  });

  test("an expired space is gone although nobody has swept yet", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_hour", ttl_seconds: 3600 });
    const scout = await hub.token("agent", "scout", "sess_hour");
    await hub.stop();
    hub = await open({ same: hub, now: START + HOUR + 1 });
    expect((await hub.call(scout, "whoami")).status).toBe(410);
  });
});
