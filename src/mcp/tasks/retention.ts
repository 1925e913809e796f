import type { TxCtx } from "../../context.ts";
import { plan } from "../../due/index.ts";
import type { DueHandler } from "../../module.ts";
import { retention } from "../../retention.ts";
import * as store from "./store.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Nobody asked for it for so long: it is over. */
const UNPOLLED_DAYS = 7;
/** How long one that is over can still be asked for. */
const TOMBSTONE_DAYS = 30;
const SWEEP = "wait.sweep";

/** Looked at once a day, as long as there are any. Planned already, it stays as it is. */
export const planSweep = (ctx: TxCtx): Promise<void> => plan(ctx, { kind: SWEEP, ref: 1, at: ctx.now() + DAY_MS });

const tombstones = retention({
  kind: "wait.purge",
  days: () => TOMBSTONE_DAYS,
  oldest: async ({ tx }) => {
    const ended_at = await store.findOldestEnd(tx);
    return ended_at === undefined ? null : Date.parse(ended_at) * 1000;
  },
  remove: async ({ tx }, { before_id, limit }) => {
    await store.deleteEnded(tx, { before: new Date(before_id / 1000).toISOString(), limit });
    return false;
  },
  planned_by_rows: true,
});

export const waitDue: Record<string, DueHandler> = {
  ...tombstones.due,
  [SWEEP]: async (ctx, _due, config) => {
    const before = new Date(ctx.now() - UNPOLLED_DAYS * DAY_MS).toISOString();
    await store.cancelUnpolled(ctx.tx, { before, now: new Date(ctx.now()).toISOString() });
    // One may end outside a transaction, which plans nothing: what has ended by now is seen here, long before it is too old.
    await tombstones.plan(ctx, config);
    if (await store.hasWaits(ctx.tx)) await planSweep(ctx);
  },
};
