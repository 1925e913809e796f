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
  type Outcome,
  type Status,
  type Task,
} from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { admitted, freeSlot, planSweep } from "./admitting.ts";
import { checkLease, lost, renew } from "./leases.ts";
import { isoAt, isoNow, taskOf, tell, wire } from "./wire.ts";

const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 3_600_000;

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
    if (attempt === undefined && row.status !== "processing") throw notProcessing(row);
    checkLease(ctx, row, attempt);
    const done = await end(ctx, row, { status: "done", outcome: "done", response_summary, error: null });
    await hit("complete.after_update");
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

const notProcessing = ({ id, status }: TaskRow): ParleyError =>
  new ParleyError(
    "TASK_STATE",
    `Task ${formatId(id)} is '${status}' — can only complete tasks in 'processing' status`,
    { details: { status } },
  );

interface Ending {
  status: Exclude<Status, "pending" | "processing">;
  outcome: Outcome;
  response_summary: string | null;
  error: string | null;
}

/** The one way in which a task is over. */
export async function end(ctx: TxCtx, row: TaskRow, { outcome, ...ending }: Ending): Promise<TaskRow> {
  const processed_at = isoNow(ctx);
  const ended: TaskRow = {
    ...row,
    ...ending,
    processed_at,
    relay_owed: 1,
    held_for: null,
    slot: null,
    lease_until: null,
  };
  await store.endTask(ctx.tx, ended);
  if (row.status === "processing") await noteAttempt(ctx, row, { outcome, error: ending.error });
  await store.countEnded(ctx.tx, { status: ended.status, channel: row.channel, tasks: 1 });
  await store.endAwaits(ctx.tx, {
    task_id: row.id,
    status: ended.status,
    attempt: row.attempt,
    ended_at: processed_at,
  });
  await tell(ctx, ended, WORDS[ended.status as keyof typeof WORDS], { worker: row.worker });
  await freeSlot(ctx, row);
  return ended;
}

const WORDS = { done: "completed", cancelled: "cancelled", dead: "dead" } as const;

export const noteAttempt = (
  ctx: TxCtx,
  { id, attempt, worker_id, worker, claimed_at }: TaskRow,
  { outcome, error }: { outcome: Outcome; error: string | null },
): Promise<void> => {
  const who = { worker_id: worker_id ?? "", worker: worker ?? "", claimed_at: claimed_at ?? isoNow(ctx) };
  return store.insertAttempt(ctx.tx, { task_id: id, attempt, ...who, ended_at: isoNow(ctx), outcome, error });
};

/** The worker gives it up: it is tried again later, or is dead. */
export function fail(ctx: Ctx, { task_id, error, attempt }: FailTask): Promise<Task> {
  return transact(ctx, async (ctx) => {
    const row = await taskOf(ctx, task_id);
    checkLease(ctx, row, attempt);
    return wire(await giveUp(ctx, row, { outcome: "failed", error }));
  });
}

/** An attempt has ended without a result. */
export async function giveUp(
  ctx: TxCtx,
  row: TaskRow,
  { outcome, error }: { outcome: Extract<Outcome, "failed" | "expired">; error: string },
): Promise<TaskRow> {
  if (row.cancel_requested_at !== null)
    return end(ctx, row, { status: "cancelled", outcome: "cancelled", ...cancelWords(row.cancel_reason), error });
  const used = row.attempt - row.refunded;
  if (used >= row.max_attempts) return end(ctx, row, { status: "dead", outcome, response_summary: null, error });
  await noteAttempt(ctx, row, { outcome, error });
  return retry(ctx, row, { error, at: ctx.now() + backoff(used, Math.random()) });
}

export const cancelWords = (reason: string | null): { response_summary: string } => ({
  response_summary: reason ? `Cancelled: ${reason}` : "Cancelled",
});

/** Milliseconds until the next attempt after so many; up to a quarter more or less, so that many do not all come at once. */
const backoff = (attempts: number, random: number): number =>
  Math.round(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * (0.75 + random / 2));

/** It waits again, until then. */
export async function retry(ctx: TxCtx, row: TaskRow, { error, at }: { error: string; at: number }): Promise<TaskRow> {
  const free = { worker_id: null, worker: null, claimed_at: null, lease_until: null };
  const waiting = await admitted(ctx, { ...row, ...free, status: "pending", error, run_at: isoAt(at), slot: null });
  await store.saveWaiting(ctx.tx, waiting);
  await tell(ctx, waiting, "failed", { worker: row.worker, error, run_at: waiting.run_at });
  await planSweep(ctx, isoAt(at));
  await freeSlot(ctx, row);
  return waiting;
}

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

export { lost };
