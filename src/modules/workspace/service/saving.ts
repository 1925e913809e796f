import type { TxCtx } from "../../../context.ts";
import * as store from "../store.ts";
import type { PlanTaskRow } from "../tables.ts";
import { tellPlanChange } from "./events.ts";
import { isoNow } from "./wire.ts";

type Changes = Partial<Omit<PlanTaskRow, "id" | "description">>;

/** The one way in which a task of the plan changes: stored, and told to whoever follows the plan. */
export async function saveChange(
  ctx: TxCtx,
  row: PlanTaskRow,
  changes: Changes,
  author = ctx.actor.name,
): Promise<void> {
  const changed = { ...row, ...changes, updated_at: isoNow(ctx) };
  await store.updatePlanTask(ctx.tx, changed);
  await tellPlanChange(ctx, changed, { old_status: row.status, author });
}
