import type { TxCtx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import * as store from "../store.ts";
import type { PlanTaskRow } from "../tables.ts";
import { isoNow, tell } from "./wire.ts";

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
  const { id, status, assigned_to } = changed;
  const data = { task_id: formatId(id), old_status: row.status, new_status: status, assigned_to, author };
  await tell(ctx, { type: "plan.updated", stream: "plan", ref: id, data });
}
