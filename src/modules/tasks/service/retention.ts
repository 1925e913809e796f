import type { TxCtx } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { PURGE_SLICE, replan } from "../../../feed/index.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";
import { PURGE, RELAY, REQUEUE, SWEEP, UNMET } from "./due-kinds.ts";
import { raiseUnmet } from "./needs.ts";
import { relayResult } from "./relaying.ts";
import { requeueSome } from "./requeueing.ts";
import { sweep } from "./sweeping.ts";
import { isoAt } from "./wire.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Has tasks that have been over for so many days removed, within the hour; 0 keeps them for ever. */
export async function planRetention(ctx: TxCtx, days: number): Promise<void> {
  if (days === 0) return unplan(ctx, { kind: PURGE });
  const first = await store.findFirstEnded(ctx.tx);
  const from = first === undefined ? ctx.now() : Date.parse(first);
  await replan(ctx, { kind: PURGE, at: Math.max(ctx.now() + HOUR_MS, from + days * DAY_MS) });
}

/** What happens to tasks by itself. */
export const tasksDue: Record<string, DueHandler> = {
  [SWEEP]: sweep,
  [RELAY]: relayResult,
  [UNMET]: raiseUnmet,
  [REQUEUE]: requeueSome,
  [PURGE]: async (ctx, _due, { task_days: days }) => {
    // Kept for ever since it was planned.
    if (days === 0) return;
    const old = await store.listOld(ctx.tx, { before: isoAt(ctx.now() - days * DAY_MS), limit: PURGE_SLICE });
    await store.deleteTasks(
      ctx.tx,
      old.map(({ id }) => id),
    );
    for (const [, rows] of Map.groupBy(old, ({ status, channel }) => `${status} ${channel}`))
      if (rows[0])
        await store.countEnded(ctx.tx, { status: rows[0].status, channel: rows[0].channel, tasks: -rows.length });
    if (old.length === PURGE_SLICE) await plan(ctx, { kind: PURGE, ref: 0, at: ctx.now() });
    else await planRetention(ctx, days);
  },
};
