import type { TxCtx } from "../context.ts";
import { plan, unplan } from "../due/index.ts";
import type { DueHandler } from "../module.ts";
import { deleteEventsUpTo, findLastEventUpTo, findOldestEvent, insertPurge } from "./store.ts";

const PURGE = "feed.purge";
const DAY_MS = 24 * 3600 * 1000;

/** Has events older than so many days removed from the transaction's space, as soon as there are any. */
export async function planEventPurge(ctx: TxCtx, days: number): Promise<void> {
  // Planned for another number of days, it would go on for ever beside this one.
  await unplan(ctx, { kind: PURGE });
  const oldest = await findOldestEvent(ctx.tx, ctx.tx.space_id);
  const from = oldest === undefined ? ctx.now() : Math.floor(oldest / 1000);
  await plan(ctx, { kind: PURGE, ref: days, at: from + days * DAY_MS });
}

/** The row's `ref` is the number of days. */
export const feedDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx, { ref: days }) => {
    const purged_id = await findLastEventUpTo(ctx.tx, (ctx.now() - days * DAY_MS) * 1000);
    if (purged_id !== undefined) {
      await deleteEventsUpTo(ctx.tx, purged_id);
      await insertPurge(ctx.tx, { topic: "feed", stream: "", purged_id });
    }
    await planEventPurge(ctx, days);
  },
};
