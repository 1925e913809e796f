import type { TxCtx } from "../context.ts";
import { plan, unplan } from "../due/index.ts";
import type { DueHandler } from "../module.ts";
import { deleteEventsUpTo, findLastOfOldest, findOldestEvent, insertPurge } from "./store.ts";

const PURGE = "feed.purge";
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** As many rows as one transaction removes: what is written meanwhile waits for it. */
export const PURGE_SLICE = 2000;

/** Has events older than so many days removed from the transaction's space, within the hour. */
export async function planEventPurge(ctx: TxCtx, days: number): Promise<void> {
  // Planned for another number of days, it would go on for ever beside this one.
  await unplan(ctx, { kind: PURGE });
  const oldest_id = await findOldestEvent(ctx.tx, ctx.tx.space_id);
  await plan(ctx, { kind: PURGE, ref: days, at: purgeAt(ctx, { oldest_id, days }) });
}

/** The row's `ref` is the number of days. */
export const feedDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx, { ref: days }) => {
    const before_id = purgeBefore(ctx, days);
    const purged_id = await findLastOfOldest(ctx.tx, { before_id, limit: PURGE_SLICE });
    if (purged_id !== null) {
      await deleteEventsUpTo(ctx.tx, purged_id);
      await insertPurge(ctx.tx, { topic: "feed", stream: "", purged_id });
    }
    await planEventPurge(ctx, days);
  },
};

/**
 * The first full hour at which the oldest is too old, so that all of an hour go together. What
 * a slice left behind is too old already: its hour has passed, and it is due at once.
 */
export function purgeAt(ctx: TxCtx, { oldest_id, days }: { oldest_id: number | null; days: number }): number {
  const from = oldest_id === null ? ctx.now() : Math.floor(oldest_id / 1000);
  // A millisecond later: ids within one are told apart, its time is not.
  return Math.ceil((from + 1 + days * DAY_MS) / HOUR_MS) * HOUR_MS;
}

/** Everything below this id is older than so many days. */
export const purgeBefore = (ctx: TxCtx, days: number): number => (ctx.now() - days * DAY_MS) * 1000;
