import type { TxCtx } from "../context.ts";
import { plan, unplan } from "../due/index.ts";
import type { DueHandler } from "../module.ts";
import { lowestMark } from "./consumers.ts";
import { deleteEventsUpTo, findLastOfOldest, findOldestEvent, insertPurge } from "./store.ts";

const PURGE = "feed.purge";
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** As many rows as one transaction removes: what is written meanwhile waits for it. */
export const PURGE_SLICE = 2000;

/** For so long events are kept beyond their days for those that still have to handle them. */
const WAITING_DAYS = 7;

/** Has events older than so many days removed from the transaction's space, within the hour. */
export async function planEventPurge(ctx: TxCtx, days: number, not_before = 0): Promise<void> {
  const oldest_id = await findOldestEvent(ctx.tx, ctx.tx.space_id);
  await replan(ctx, { kind: PURGE, at: Math.max(not_before, purgeAt(ctx, { oldest_id, days })) });
}

/** Once a space. Versions before this one planned a row for each number of days, which would go on for ever beside it. */
export async function replan(ctx: TxCtx, { kind, at }: { kind: string; at: number }): Promise<void> {
  await unplan(ctx, { kind });
  await plan(ctx, { kind, ref: 0, at });
}

export const feedDue = (consumers: readonly string[]): Record<string, DueHandler> => ({
  [PURGE]: async (ctx, _due, { event_days: days }) => {
    const mark = (await lowestMark(ctx, consumers)) ?? Number.POSITIVE_INFINITY;
    const old = purgeBefore(ctx, days);
    const before_id = Math.min(old, Math.max(mark + 1, purgeBefore(ctx, days + WAITING_DAYS)));
    const purged_id = await findLastOfOldest(ctx.tx, { before_id, limit: PURGE_SLICE });
    if (purged_id !== null) {
      await deleteEventsUpTo(ctx.tx, purged_id);
      await insertPurge(ctx.tx, { topic: "feed", stream: "", purged_id });
    }
    // What waits for somebody is not due at once over and over.
    await planEventPurge(ctx, days, before_id < old ? ctx.now() + HOUR_MS : 0);
  },
});

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
