import { type Ctx, has, PEOPLE, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import type { CancelTask, Task, UpdateTask } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { checkSize } from "./creating.ts";
import { cancelWords, end } from "./ending.ts";
import { taskUpdated } from "./events.ts";
import { isoNow, taskOf, wire } from "./wire.ts";

export function update(ctx: Ctx, { task_id, content }: UpdateTask): Promise<Task> {
  checkSize(content);
  return transact(ctx, async (ctx) => {
    const row = await ownTask(ctx, task_id);
    if (row.status !== "pending") throw notPending(row, "update");
    await store.updateContent(ctx.tx, { id: row.id, content });
    await taskUpdated.tell(ctx, row, {});
    return wire({ ...row, content });
  });
}

/** What waits is over at once; who works on one is asked to stop. */
export function cancel(ctx: Ctx, { task_id, reason }: CancelTask): Promise<Task> {
  return transact(ctx, async (ctx) => {
    const row = await ownTask(ctx, task_id);
    if (row.status === "processing" && row.cancel_requested_at === null) {
      const asked = { cancel_requested_at: isoNow(ctx), cancel_reason: reason ?? null };
      await store.requestCancel(ctx.tx, { id: row.id, ...asked });
      await taskUpdated.tell(ctx, { ...row, ...asked }, { cancel_requested: true });
      return wire({ ...row, ...asked });
    }
    if (row.status !== "pending") throw notPending(row, "cancel");
    const words = cancelWords(reason ?? null);
    return wire(await end(ctx, row, { status: "cancelled", outcome: "cancelled", ...words, error: row.error }));
  });
}

/** Only who made it changes it, and people. */
async function ownTask(ctx: Ctx, id: number): Promise<TaskRow> {
  const row = await taskOf(ctx, id);
  if (row.sender_id === ctx.actor.principal_id || has(ctx.actor, ...PEOPLE)) return row;
  throw new ParleyError(
    "FORBIDDEN",
    `Task ${formatId(id)} is from ${row.sender ?? "somebody else"}: only they, or a person, change it.`,
  );
}

const notPending = ({ id, status, cancel_requested_at }: TaskRow, verb: "update" | "cancel"): ParleyError =>
  new ParleyError(
    "TASK_STATE",
    cancel_requested_at !== null && status === "processing"
      ? `Task ${formatId(id)} was asked to stop at ${cancel_requested_at}`
      : `Task ${formatId(id)} is '${status}' — can only ${verb} tasks in 'pending' status`,
    { details: { status } },
  );
