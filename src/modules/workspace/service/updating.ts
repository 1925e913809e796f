import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import { ChangedTask, type PlanStatus, type UpdatePlanTask } from "../schema.ts";
import * as store from "../store.ts";
import type { PlanTaskRow } from "../tables.ts";
import { blockersOf } from "./blocking.ts";
import { handReady, wanted } from "./queueing.ts";
import { shownTask, taskOf } from "./reading-plan.ts";
import { saveChange } from "./saving.ts";
import { authorOf } from "./wire.ts";

/** Changes what is given and nothing else. */
export function updateTask(
  ctx: Ctx,
  { task_id, status, assigned_to, summary, queue }: UpdatePlanTask,
): Promise<ChangedTask> {
  return transact(ctx, async (ctx) => {
    const author = await authorOf(ctx);
    const row = await taskOf(ctx, task_id);
    const next = status ?? statusWith(row, queue);
    if (next !== row.status && (next === "in_progress" || next === "completed")) await refuseBlocked(ctx, row, next);
    if (queue && next === "completed") throw isCompleted(row);
    await saveChange(
      ctx,
      row,
      {
        status: next,
        ...(assigned_to !== undefined && { assigned_to: assigned_to || null }),
        // What was said of an earlier status says nothing of this one.
        summary: summary ?? (next === row.status ? row.summary : null),
        ...(queue && row.queue === null && wanted(author)),
      },
      author.author,
    );
    const others = next === "completed" && row.status !== "completed" ? await store.listWaitingFor(ctx.tx, row.id) : [];
    await handReady(ctx, [row.id, ...others]);
    return ChangedTask.parse(await shownTask(ctx, row.id));
  });
}

/** What was given up is to be done anew. */
const statusWith = ({ status, queue }: PlanTaskRow, again: true | undefined): PlanStatus =>
  again && status === "blocked" && queue === null ? "todo" : status;

async function refuseBlocked(ctx: TxCtx, { id }: PlanTaskRow, status: PlanStatus): Promise<void> {
  const blockers = await blockersOf(ctx, id);
  if (blockers.length === 0) return;
  const named = blockers.slice(0, 10).map(formatId).join(", ");
  throw new ParleyError(
    "PLAN_BLOCKED",
    `Task ${formatId(id)} cannot be ${status} yet: it depends on ${named}${blockers.length > 10 ? " and more" : ""}, not completed so far. Nothing was changed.`,
    { details: { task_id: formatId(id), blocked_by: blockers.map(formatId) } },
  );
}

const isCompleted = ({ id }: PlanTaskRow): ParleyError =>
  new ParleyError("CONFLICT", `Task ${formatId(id)} is completed: there is nothing to hand to the queue.`);
