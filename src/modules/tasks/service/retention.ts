import type { DueHandler } from "../../../module.ts";
import { retention } from "../../../retention.ts";
import * as store from "../store.ts";
import { PURGE, RELAY, REQUEUE, SWEEP, TELL, UNMET } from "./due-kinds.ts";
import { tellForgotten } from "./events.ts";
import { raiseUnmet } from "./needs.ts";
import { relayResult, tellWaiter } from "./relaying.ts";
import { requeueSome } from "./requeueing.ts";
import { sweep } from "./sweeping.ts";
import { isoAt } from "./wire.ts";

/** From when a task was over, and with them workers that were not seen since and what was requeued. */
export const taskRetention = retention({
  kind: PURGE,
  days: ({ task_days }) => task_days,
  oldest: async ({ tx }) => {
    const ended_at = await store.findFirstEnded(tx);
    return ended_at === undefined ? null : Date.parse(ended_at) * 1000;
  },
  remove: async (ctx, { before_id, limit }) => {
    const { tx } = ctx;
    const before = isoAt(before_id / 1000);
    const old = await store.listOld(tx, { before, limit });
    await store.deleteWorkersBefore(tx, before);
    await store.deleteRequeuesBefore(tx, before_id);
    await store.deleteTasks(
      tx,
      old.map(({ id }) => id),
    );
    for (const [, rows] of Map.groupBy(old, ({ status, channel }) => `${status} ${channel}`))
      if (rows[0]) store.countEnded(tx, { status: rows[0].status, channel: rows[0].channel, tasks: -rows.length });
    const dead = old.filter(({ status }) => status === "dead").length;
    if (dead > 0) await tellForgotten(ctx, dead);
    // The oldest may be one whose end nobody has been told yet.
    return old.length < limit;
  },
});

/** What happens to tasks by itself. */
export const tasksDue: Record<string, DueHandler> = {
  [SWEEP]: sweep,
  [RELAY]: relayResult,
  [TELL]: tellWaiter,
  [UNMET]: raiseUnmet,
  [REQUEUE]: requeueSome,
  ...taskRetention.due,
};
