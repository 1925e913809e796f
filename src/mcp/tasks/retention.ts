import type { TxCtx } from "../../context.ts";
import { plan } from "../../due/index.ts";
import type { DueHandler } from "../../module.ts";
import * as store from "./store.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Nobody asked for it for so long: it is over. */
const UNPOLLED_DAYS = 7;
/** How long one that is over can still be asked for. */
const TOMBSTONE_DAYS = 30;
const SWEEP = "wait.sweep";

/** Looked at once a day, as long as there are any. Planned already, it stays as it is. */
export const planSweep = (ctx: TxCtx): Promise<void> => plan(ctx, { kind: SWEEP, ref: 1, at: ctx.now() + DAY_MS });

export const waitDue: Record<string, DueHandler> = {
  [SWEEP]: async (ctx) => {
    const before = (days: number): string => new Date(ctx.now() - days * DAY_MS).toISOString();
    await store.cancelUnpolled(ctx.tx, { before: before(UNPOLLED_DAYS), now: new Date(ctx.now()).toISOString() });
    await store.deleteEnded(ctx.tx, before(TOMBSTONE_DAYS));
    if (await store.hasWaits(ctx.tx)) await planSweep(ctx);
  },
};
