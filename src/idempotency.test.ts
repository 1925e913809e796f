import { expect, test } from "vitest";
import type { TxCtx } from "./context.ts";
import { statement } from "./db/statement.ts";
import { idempotencyDue, once } from "./idempotency.ts";
import { eachDatabase } from "./testing/hub.ts";

const START = Date.parse("2026-11-01T12:20:00Z");
const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
const counted = statement<Record<string, never>, { count: number }>("select count(*) as count from idempotency");
const planned = statement<Record<string, never>, { at: string }>(
  "select at from due where kind = 'idempotency.purge' and space_id = 'main'",
);

eachDatabase((open) => {
  test("keys are forgotten after eight days, those of an hour together and a slice a transaction", async () => {
    const hub = await open({ now: START });
    const ctx = await hub.as(hub.admin);
    const { database, config } = hub.hub;
    const inTx = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
      database.write("main", (tx) => work({ ...ctx, db: tx, tx }));
    const keep = (keys: number, from = 0) =>
      inTx(async (ctx) => {
        for (let key = from; key < from + keys; key += 1)
          await once(ctx, { tool: "t", key: `${key}`, args: {} }, async () => ({}));
      });
    const left = async () => Number((await database.get(counted, {}))?.count);
    // A slice is 2000, and never ends within a moment.
    await keep(1900);
    await hub.tick(1000);
    await keep(600, 1900);
    await hub.tick(1000);
    await keep(100, 2500);
    expect(await database.get(planned, {})).toEqual({ at: new Date(START + 40 * 60_000 + 8 * DAY).toISOString() });

    // By hand, so that nothing more of it happens meanwhile.
    const now = START + 8 * DAY + HOUR;
    const due = { ref: 0, at: now, payload: undefined, attempt: 0 };
    await inTx(async (ctx) => {
      await idempotencyDue["idempotency.purge"]?.({ ...ctx, now: () => now }, due, config);
      expect(Number((await ctx.tx.get(counted, {}))?.count)).toBe(100);
    });
    await hub.tick(8 * DAY);
    expect(await left()).toBe(100);
    await hub.tick(40 * 60_000);
    expect(await left()).toBe(0);
  });
});
