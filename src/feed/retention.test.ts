/** What is no longer kept is said to be gone, never left out in silence. */
import { beforeEach, expect, test } from "vitest";
import type { TxCtx } from "../context.ts";
import { statement } from "../db/statement.ts";
import { chat, readSince, post as say } from "../modules/chat/index.ts";
import { EventReader } from "../testing/events.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { NodeView } from "../testing/node-view.ts";
import { eventRetention } from "./retention.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };

const planned = statement<{ space_id: string }, { kind: string; at: string }>(
  "select kind, at from due where space_id = :space_id and kind in ('chat.purge', 'feed.purge') order by kind",
);
const counted = statement<{ space_id: string }, { messages: number; events: number }>(
  `select (select count(*) from messages where space_id = :space_id) as messages,
   (select count(*) from events where space_id = :space_id) as events`,
);

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    hub = await open({ now: START, config: { chat_days: 7, event_days: 3 } });
    ana = await hub.token("human", "ana");
  });

  const post = async (content: string): Promise<string> =>
    (await hub.call(ana, "chat_human_post", { content })).body.id;
  const reading = (after_id: string | null) => hub.call(ana, "chat_read_since", { after_id });
  const contents = async (after_id: string | null): Promise<string[]> =>
    (await reading(after_id)).body.messages.map(({ content }: { content: string }) => content);

  test("chat older than its days is forgotten, and reading on from before that is refused", async () => {
    const old = await post("old");
    const older = await post("also old");
    await hub.tick(4 * DAY);
    const recent = await post("recent");

    await hub.tick(3 * DAY - 1000);
    expect(await contents(null)).toEqual(["old", "also old", "recent"]);
    await hub.tick(HOUR + 1000);

    expect(await contents(null)).toEqual(["recent"]);
    const expired = await reading(old);
    expect([expired.status, expired.body.code]).toEqual([410, "WATERMARK_EXPIRED"]);
    expect(expired.body.first_id).toMatch(/^\d+$/);
    // Nothing between it and the rest is missing.
    expect(await contents(older)).toEqual(["recent"]);
    expect(await contents(recent)).toEqual([]);

    await hub.tick(8 * DAY);
    expect(await contents(null)).toEqual([]);
    expect((await reading(older)).body.code).toBe("WATERMARK_EXPIRED");
    expect(await contents(recent)).toEqual([]);
    const next = await post("next");
    expect(Number(next)).toBeGreaterThan(Number(recent));
    expect(await contents(recent)).toEqual(["next"]);
  });

  test("who reads by a mark is told once of a gap, and goes on behind it", async () => {
    await post("read");
    const advance = async () => (await hub.call(ana, "chat_read_and_advance")).body;
    expect((await advance()).messages).toHaveLength(1);
    await hub.tick(1000);
    await post("missed");
    await hub.tick(5 * DAY);
    await post("kept");
    await hub.tick(4 * DAY);

    const page = await advance();
    expect([page.gap, page.messages.map(({ content }: { content: string }) => content)]).toEqual([true, ["kept"]]);
    expect(await advance()).toMatchObject({ messages: [] });
    expect(await advance()).not.toHaveProperty("gap");
  });

  test("events older than their days are forgotten, what they were about stays, and who follows is told to read again", async () => {
    const old = await post("old");
    await hub.tick(2 * DAY);
    const recent = await post("recent");
    await hub.tick(DAY + HOUR);

    expect(await contents(null)).toEqual(["old", "recent"]);
    await using behind = await EventReader.open(hub.url, ana, { after: String(Number(old) - 1) });
    await using ahead = await EventReader.open(hub.url, ana, { after: old });
    await expect
      .poll(() => behind.events, SOON)
      .toMatchObject([{ event: "resync", data: { reason: "WATERMARK_EXPIRED" } }]);
    const next = await post("next");
    await expect.poll(() => behind.events.at(-1)?.id, SOON).toBe(next);
    await expect.poll(() => ahead.events.map(({ id }) => id), SOON).toContain(next);
    expect(ahead.events.filter(({ event }) => event === "chat").map(({ id }) => id)).toContain(recent);
  });

  test("kept for longer than before, what was to be forgotten stays", async () => {
    await post("old");
    await hub.stop();
    hub = await open({ same: hub, config: { chat_days: 0, event_days: 30 } });
    await hub.tick(20 * DAY);

    expect(await contents(null)).toEqual(["old"]);
    await using reader = await EventReader.open(hub.url, ana, { after: "1" });
    await expect.poll(() => reader.events.map(({ event }) => event), SOON).toContain("chat");
  });

  test("what grows too old within one hour is forgotten together, at the full hour", async () => {
    for (let minute = 1; minute < 60; minute += 10) {
      await hub.tick(10 * 60_000);
      await post(`said at ${minute}`);
    }
    const started = await hub.hub.database.all(planned, { space_id: "main" });
    expect(started.map(({ at }) => Date.parse(at) % HOUR)).toEqual([0, 0]);
    // The oldest became too old some fifty minutes ago.
    await hub.tick(7 * DAY - 60_000);
    expect(await contents(null)).toHaveLength(6);
    await hub.tick(60_000);
    expect(await contents(null)).toHaveLength(1);
    const [next] = await hub.hub.database.all(planned, { space_id: "main" });
    expect(next).toEqual({ kind: "chat.purge", at: new Date(START + 7 * DAY + 2 * HOUR).toISOString() });
  });

  test("a great many are forgotten in slices, one after the other", async () => {
    const many = 2500;
    const ctx = await hub.as(ana);
    const inTx = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
      hub.hub.database.write("main", (tx) => work({ ...ctx, db: tx, tx }));
    await inTx(async (ctx) => {
      for (let n = 0; n < many; n++) await say(ctx, { author: "user", content: `${n}`, mime: "text/plain" });
    });
    const left = async () =>
      (await hub.hub.database.get(counted, { space_id: "main" })) ?? { messages: -1, events: -1 };
    const before = await left();
    expect(before.messages).toBe(many);
    // The hub itself is not there yet, so that nothing is removed but by hand.
    const now = START + 8 * DAY;
    const due = { ref: 0, at: now, payload: undefined, attempt: 0 };
    await inTx(async (ctx) => {
      const later = { ...ctx, now: () => now };
      await chat.due?.["chat.purge"]?.(later, due, hub.hub.config);
      await eventRetention([]).due["feed.purge"]?.(later, due, hub.hub.config);
      const rows = await ctx.tx.get(counted, { space_id: "main" });
      expect(rows).toEqual({ messages: many - 2000, events: before.events - 2000 });
    });
    // What is left is due at once.
    const rest = await hub.hub.database.all(planned, { space_id: "main" });
    expect(rest.map(({ kind, at }) => [kind, Date.parse(at) <= now])).toEqual([
      ["chat.purge", true],
      ["feed.purge", true],
    ]);
    await hub.tick(8 * DAY);
    expect(await left()).toEqual({ messages: 0, events: 0 });
  });

  test("every space forgets: those that were there at the start, and those made since", async () => {
    const made = async (id: string): Promise<string> => {
      await hub.call(hub.admin, "space_create", { id, ttl_seconds: 300 * 24 * 3600 });
      return hub.token("human", "ben", id);
    };
    const said = (token: string, space: string) =>
      hub.call(token, "chat_human_post", { content: `in ${space}` }, { "x-session-id": space });
    const left = (space_id: string) => hub.hub.database.get(counted, { space_id });
    const before = await made("sess_before");
    await said(before, "sess_before");
    await hub.stop();
    hub = await open({ same: hub, config: { chat_days: 5, event_days: 2 } });
    const since = await made("sess_since");
    await said(since, "sess_since");
    await expect.poll(() => hub.hub.database.all(planned, { space_id: "sess_since" }), SOON).toHaveLength(2);

    await hub.tick(2 * DAY + HOUR);
    for (const id of ["sess_before", "sess_since"]) expect(await left(id)).toEqual({ messages: 1, events: 0 });
    await hub.tick(3 * DAY);
    for (const id of ["sess_before", "sess_since"]) expect(await left(id)).toEqual({ messages: 0, events: 0 });
  });

  test("what is forgotten in the middle of a reading is no silent gap", async () => {
    for (let purge_at = 1; purge_at <= 10; purge_at++) {
      const [from, old] = [await post("from"), await post("old")];
      await hub.tick(6 * DAY);
      const recent = await post("recent");
      let steps = 0;
      const view = new NodeView(hub.hub.database, async () => {
        steps += 1;
        if (steps === purge_at) await hub.tick(DAY + HOUR);
      });
      const ctx = { ...(await hub.as(ana)), db: view, database: view };

      const read = readSince(ctx, { after_id: from, limit: 50 }).then(
        ({ messages }) => messages.map(({ id }) => id),
        (error) => error.code,
      );
      expect([[old, recent], "WATERMARK_EXPIRED"], `purged at step ${purge_at}`).toContainEqual(await read);
      await hub.tick(8 * DAY);
    }
  });
});
