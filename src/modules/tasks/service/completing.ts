import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import { formatId } from "../../../ids.ts";
import {
  type Beat,
  type CompleteTask,
  type FailTask,
  type HeartbeatTask,
  MOST_SUMMARY_BYTES,
  type Task,
} from "../schema.ts";
import type { TaskRow } from "../tables.ts";
import { end, giveUp } from "./ending.ts";
import { checkLease, renew } from "./leases.ts";
import { throttle } from "./throttling.ts";
import { taskOf, wire } from "./wire.ts";

/** Said again by who said it first, in the same attempt, it is so already. */
export function complete(ctx: Ctx, { task_id, response_summary, attempt }: CompleteTask): Promise<Task> {
  const bytes = Buffer.byteLength(response_summary);
  if (bytes > MOST_SUMMARY_BYTES)
    throw new ParleyError(
      "CONTENT_TOO_LARGE",
      `A summary holds at most ${MOST_SUMMARY_BYTES} bytes; this one has ${bytes}.`,
    );
  return transact(ctx, async (ctx) => {
    const row = await taskOf(ctx, task_id);
    if (isRepeated(ctx, row, { response_summary, attempt })) return wire(row);
    if (isOver(ctx, row, attempt)) throw notProcessing(row);
    checkLease(ctx, row, attempt);
    const done = await end(ctx, row, { status: "done", outcome: "done", response_summary, error: null });
    const pause = hit("complete.after_update");
    if (pause) await pause;
    return wire(done);
  });
}

const isRepeated = (
  { actor }: Ctx,
  row: TaskRow,
  { response_summary, attempt }: Pick<CompleteTask, "response_summary" | "attempt">,
): boolean =>
  row.status === "done" &&
  row.attempt === attempt &&
  row.worker_id === actor.principal_id &&
  row.response_summary === response_summary;

/** Whose own attempt was the last lost no lease: the task is over. Who names none has to be told so of any other state. */
const isOver = ({ actor }: Ctx, row: TaskRow, attempt: number | undefined): boolean =>
  attempt === undefined
    ? row.status !== "processing"
    : row.status === "done" && attempt === row.attempt && row.worker_id === actor.principal_id;

const notProcessing = ({ id, status }: TaskRow): ParleyError =>
  new ParleyError(
    "TASK_STATE",
    `Task ${formatId(id)} is '${status}' — can only complete tasks in 'processing' status`,
    { details: { status } },
  );

/** The worker gives it up: it is tried again later, or is dead. */
export function fail(ctx: Ctx, { task_id, error, throttled_until, attempt }: FailTask): Promise<Task> {
  return transact(ctx, async (ctx) => {
    const row = await taskOf(ctx, task_id);
    checkLease(ctx, row, attempt);
    return wire(await failed(ctx, row, { error, throttled_until }));
  });
}

const failed = (
  ctx: TxCtx,
  row: TaskRow,
  { error, throttled_until }: Pick<FailTask, "error" | "throttled_until">,
): Promise<TaskRow> =>
  throttled_until === undefined || row.cancel_requested_at !== null
    ? giveUp(ctx, row, { outcome: "failed", error })
    : throttle(ctx, row, { error, throttled_until });

/** The worker still works on it. It learns whether it is to stop. */
export async function heartbeat(ctx: Ctx, { task_id, attempt }: HeartbeatTask): Promise<Beat> {
  const row = await taskOf(ctx, task_id);
  checkLease(ctx, row, attempt);
  const { id, cancel_requested_at, cancel_reason } = row;
  return {
    task_id: formatId(id),
    attempt: row.attempt,
    lease_expires_at: await renew(ctx, row),
    cancel_requested: cancel_requested_at !== null,
    cancel_reason,
  };
}
