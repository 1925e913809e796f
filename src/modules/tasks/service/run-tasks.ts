/** Tasks that a program of the hub's own has taken: its own for as long as it lives, and given back when it is over. */
import type { Ctx, TxCtx } from "../../../context.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { giveUp } from "./ending.ts";
import { leaseEnd } from "./leases.ts";
import { putBackFree } from "./releasing.ts";
import { throttle } from "./throttling.ts";
import { isoAt } from "./wire.ts";

interface Left {
  /** What became of the program. */
  error: string;
  /** It was ended, whatever it worked on: that costs the task nothing. */
  is_free: boolean;
  /** It met a quota, which lasts until then. */
  throttled_until?: string | undefined;
}

/** Its client may know of no heartbeat. A lease that has hardly begun is left alone. */
export const keepOfRun = (ctx: Ctx, run_id: number): Promise<number> =>
  store.renewOfRun(ctx.database, {
    ...{ space_id: ctx.actor.space_id, run_id, lease_until: leaseEnd(ctx) },
    before: isoAt(ctx.now() + ctx.config.task_lease_seconds * 750),
  });

/** Longer than anybody is given to decide: it ends with the run, which somebody always ends. */
const HELD_MS = 31 * 24 * 3600 * 1000;

/** Its program waits for a person, and no process of it lives meanwhile: what it has taken stays its own. */
export const holdOfRun = (ctx: TxCtx, run_id: number): Promise<void> =>
  store.holdOfRun(ctx.tx, { run_id, lease_until: isoAt(ctx.now() + HELD_MS) });

/** In the transaction that ends its token: nothing it has taken can be completed by it any more. */
export async function giveBackOfRun(ctx: TxCtx, run_id: number, left: Left): Promise<void> {
  for (const row of await store.listOfRun(ctx.tx, run_id)) await giveBack(ctx, row, left);
}

function giveBack(ctx: TxCtx, row: TaskRow, { error, is_free, throttled_until }: Left): Promise<TaskRow> {
  if (throttled_until !== undefined && row.cancel_requested_at === null)
    return throttle(ctx, row, { error, throttled_until });
  return is_free ? putBackFree(ctx, row, error) : giveUp(ctx, row, { outcome: "failed", error });
}
