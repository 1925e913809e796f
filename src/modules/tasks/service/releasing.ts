import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import type { ReleaseTask, Task } from "../schema.ts";
import type { TaskRow } from "../tables.ts";
import { giveUp, noteAttempt, putBack } from "./ending.ts";
import { taskReleased } from "./events.ts";
import { checkLease } from "./leases.ts";
import { MOST_REFUNDS } from "./throttling.ts";
import { taskOf, wire } from "./wire.ts";

/** The worker ends before it has done the task. */
export function release(ctx: Ctx, { task_id, reason, attempt }: ReleaseTask): Promise<Task> {
  return transact(ctx, async (ctx) => {
    const row = await taskOf(ctx, task_id);
    checkLease(ctx, row, attempt);
    return wire(await putBackFree(ctx, row, reason));
  });
}

/** Whoever is next has it at once, and it costs no attempt, unless it was given back too often. */
export async function putBackFree(ctx: TxCtx, row: TaskRow, reason: string): Promise<TaskRow> {
  if (row.cancel_requested_at !== null || row.refunded >= MOST_REFUNDS)
    return giveUp(ctx, row, { outcome: "failed", error: reason });
  await noteAttempt(ctx, row, { outcome: "released", error: reason });
  const refunded = row.refunded + 1;
  return putBack(ctx, { ...row, refunded }, { error: row.error, at: null, told: taskReleased });
}
