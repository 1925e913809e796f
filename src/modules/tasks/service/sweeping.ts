import type { TxCtx } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import * as store from "../store.ts";
import { admitted, release } from "./admitting.ts";
import { renewBudgets } from "./budgeting.ts";
import { SWEEP } from "./due-kinds.ts";
import { giveUp } from "./ending.ts";
import { planSweep } from "./planning.ts";
import { endThrottles } from "./throttling.ts";
import { isoNow } from "./wire.ts";

/** As many as one transaction sees to: what is written meanwhile waits for it. */
const SLICE = 200;

/** Leases that ran out, tasks whose time has come, quotas that are over, and a new day's budgets. */
export async function sweep(ctx: TxCtx): Promise<void> {
  const now = isoNow(ctx);
  const expired = await store.listExpired(ctx.tx, { now, limit: SLICE });
  for (const row of expired) {
    const error = `The lease of ${row.worker} ran out: it said nothing for too long.`;
    await giveUp(ctx, row, { outcome: "expired", error });
  }
  const delayed = await store.listDelayed(ctx.tx, { now, limit: SLICE });
  for (const row of delayed) await release(ctx, await admitted(ctx, row));
  await endThrottles(ctx);
  await renewBudgets(ctx);
  if (expired.length === SLICE || delayed.length === SLICE) return plan(ctx, { kind: SWEEP, ref: 0, at: ctx.now() });
  const next = await store.findNextSweep(ctx.tx, now);
  if (next !== undefined) await planSweep(ctx, next);
}
