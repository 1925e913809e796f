/** Runs that have been over for long are forgotten, with their attempts and what they printed. */
import type { TxCtx } from "../../../context.ts";
import { PURGE_SLICE, purgeAt, purgeBefore, replan } from "../../../feed/index.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";

const PURGE = "run.purge";
/** As long as what a trigger did is kept. */
export const KEPT_DAYS = 90;
const HOUR_MS = 3600 * 1000;

export async function planPurge(ctx: TxCtx, not_before = 0): Promise<void> {
  const oldest_id = (await store.findOldest(ctx.tx)) ?? null;
  await replan(ctx, { kind: PURGE, at: Math.max(not_before, purgeAt(ctx, { oldest_id, days: KEPT_DAYS })) });
}

export const retentionDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx) => {
    const old = await store.listOver(ctx.tx, purgeBefore(ctx, KEPT_DAYS), PURGE_SLICE);
    await store.deleteRuns(ctx.tx, old);
    // The oldest may be one that goes on: it is not due at once over and over.
    await planPurge(ctx, old.length < PURGE_SLICE ? ctx.now() + HOUR_MS : 0);
  },
};
