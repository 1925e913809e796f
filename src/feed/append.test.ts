/** Events that are stored as one row are still told one by one, from whatever position somebody reads on. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { transact } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { eachDatabase } from "../testing/hub.ts";
import { append, appendAll, appendGroup } from "./append.ts";
import type { FeedEvent } from "./event.ts";
import { listEventsSince } from "./store.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };
const topic = "notes";

eachDatabase((open) => {
  test("whoever reads on from any position, in pages of any size, gets each event once and in order", async () => {
    const hub = await open();
    const ctx = await hub.as(await hub.token("human", "ana"));
    const { space_id } = ctx.actor;
    const told: FeedEvent[] = [];
    hub.hub.database.onCommit((commit) => {
      if (commit.space_id === space_id) told.push(...commit.events);
    });
    /** One is appended alone, more are stored together. */
    const write = (count: number): Promise<void> =>
      transact(ctx, async (ctx) => {
        if (count === 1) await append(ctx, { type: "alone", topic, stream: "a", data: { n: 1 } });
        const ids = Array.from({ length: count }, () => ctx.tx.takeId());
        const own = ids.map((id, at) => ({ id, type: at === 0 ? "sent" : "got", stream: `s${at}`, data: { at } }));
        if (count > 1) await appendGroup(ctx, { topic, ref: ids[0] ?? 0, data: { n: count } }, own);
      });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(1, 1, 2, 3, 6, 101), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (groups, limit) => {
          told.length = 0;
          const start =
            (await listEventsSince(hub.hub.database, { space_id, after_id: 0, limit: 10_000 })).at(-1)?.id ?? 0;
          for (const count of groups) await write(count);
          await expect.poll(() => told.length, SOON).toBe(groups.reduce((sum, count) => sum + count, 0));
          for (const after_id of [start, ...told.map(({ id }) => id)]) {
            const page = await listEventsSince(hub.hub.database, { space_id, after_id, limit });
            expect(page).toEqual(told.filter(({ id }) => id > after_id).slice(0, limit));
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test("several that are about different things are told in their order, each under a position and of a thing of its own", async () => {
    const hub = await open();
    const ctx = await hub.as(await hub.token("human", "ana"));
    const { space_id } = ctx.actor;
    const told: FeedEvent[] = [];
    hub.hub.database.onCommit((commit) => {
      if (commit.space_id === space_id) told.push(...commit.events);
    });
    const events = Array.from({ length: 150 }, (_, n) => ({
      type: "changed",
      topic,
      stream: `s${n % 2}`,
      data: { n },
    }));
    await transact(ctx, async (ctx) => {
      await appendAll(ctx, []);
      await appendAll(
        ctx,
        events.map((event, at) => (at === 0 ? event : { ...event, ref: at })),
      );
    });
    await expect.poll(() => told.length, SOON).toBe(events.length);
    const [first] = told;
    expect(told.map(({ ref }) => ref)).toEqual(events.map((_, at) => (at === 0 ? first?.id : at)));
    expect(told.map(({ data, stream }) => ({ data, stream }))).toEqual(
      events.map(({ data, stream }) => ({ data, stream })),
    );
    expect(await listEventsSince(hub.hub.database, { space_id, after_id: (first?.id ?? 0) - 1, limit: 200 })).toEqual(
      told,
    );
  });

  test("a page takes apart hardly more than it gives, however many events are one row", async () => {
    const hub = await open();
    const ctx = await hub.as(await hub.token("human", "ana"));
    const { space_id } = ctx.actor;
    for (let row = 0; row < 30; row += 1)
      await transact(ctx, async (ctx) => {
        const own = Array.from({ length: 100 }, () => ({ id: ctx.tx.takeId(), type: "got", stream: "s", data: {} }));
        await appendGroup(ctx, { topic, ref: 1, data: {} }, own);
      });
    let rows = 0;
    const counting: Reader = {
      get: (statement, args) => hub.hub.database.get(statement, args),
      all: async (statement, args) => {
        const found = await hub.hub.database.all(statement, args);
        rows += found.length;
        return found;
      },
    };
    for (const limit of [8, 80, 800]) {
      rows = 0;
      expect(await listEventsSince(counting, { space_id, after_id: 0, limit })).toHaveLength(limit);
      expect([limit, rows <= limit / 8 + 1]).toEqual([limit, true]);
    }
  });
});
