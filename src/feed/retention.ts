import type { TxCtx } from "../context.ts";
import { purgeBefore, retention } from "../retention.ts";
import { lowestMark } from "./consumers.ts";
import { deleteEventsUpTo, findLastOfOldest, findOldestEvent, insertPurge } from "./store.ts";

/** For so long events are kept beyond their days for those that still have to handle them. */
const WAITING_DAYS = 7;

/** Events, as far as these consumers have handled them. */
export const eventRetention = (consumers: readonly string[]) =>
  retention({
    kind: "feed.purge",
    days: ({ event_days }) => event_days,
    oldest: ({ tx }) => findOldestEvent(tx, tx.space_id),
    remove: async (ctx, { before_id: old, limit, config }) => {
      const before_id = Math.min(old, await handledBefore(ctx, consumers, config.event_days));
      const purged_id = await findLastOfOldest(ctx.tx, { before_id, limit });
      if (purged_id !== null) {
        await deleteEventsUpTo(ctx.tx, purged_id);
        await insertPurge(ctx.tx, { topic: "feed", stream: "", purged_id });
      }
      return before_id < old;
    },
  });

async function handledBefore(ctx: TxCtx, consumers: readonly string[], days: number): Promise<number> {
  const mark = (await lowestMark(ctx, consumers)) ?? Number.POSITIVE_INFINITY;
  return Math.max(mark + 1, purgeBefore(ctx, days + WAITING_DAYS));
}
