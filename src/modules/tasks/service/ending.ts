import type { TxCtx } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { plan } from "../../../due/index.ts";
import type { Outcome, Status } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { freeSlot } from "./admitting.ts";
import { WAKE } from "./due-kinds.ts";
import { taskCancelled, taskCompleted, taskDead, taskFailed, type taskReleased } from "./events.ts";
import { endUnmet } from "./needs.ts";
import { endPlanned } from "./planned.ts";
import { checkNeeds, planSweep } from "./planning.ts";
import { planMail } from "./relaying.ts";
import { isoAt, isoNow, taskOf } from "./wire.ts";

const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 3_600_000;

interface Ending {
  status: Exclude<Status, "pending" | "processing">;
  outcome: Outcome;
  response_summary: string | null;
  error: string | null;
}

const TOLD = { done: taskCompleted, cancelled: taskCancelled, dead: taskDead };

/** The one way in which a task is over: recorded, counted, told, and owed to whoever waits for it. */
export async function end(ctx: TxCtx, row: TaskRow, { outcome, ...ending }: Ending): Promise<TaskRow> {
  const { id, attempt, channel, worker } = row;
  const where = { space_id: ctx.tx.space_id, task_id: id };
  // Before anything is written: what a batch on PostgreSQL reads up to there is asked for together.
  const awaits = row.awaited > 0 ? await store.listAwaits(ctx.tx, where) : [];
  const over = { held_for: null, slot: null, lease_until: null, processed_at: endedAt(ctx, row) };
  const ended: TaskRow = { ...row, ...ending, ...over, relay_owed: row.relay === null ? null : 1 };
  await store.endTask(ctx.tx, ended);
  if (row.status === "processing") await noteAttempt(ctx, row, { outcome, error: ending.error });
  store.countEnded(ctx.tx, { status: ended.status, channel, tasks: 1 });
  if (awaits.length > 0)
    await store.endAwaits(ctx.tx, { task_id: id, status: ended.status, attempt, ended_at: over.processed_at });
  const wakes = awaits.filter(({ trigger_name }) => trigger_name !== null);
  for (const { id: ref } of wakes)
    if (ctx.tx.space_id === MAIN_SPACE) await plan(ctx, { kind: WAKE, ref, at: ctx.now() });
  await planMail(ctx, ended, { from: row.status === "processing" ? worker : ctx.actor.name, awaits });
  await TOLD[ending.status].tell(ctx, ended, { worker, error: ending.error, wakes: wakes.length });
  await endUnmet(ctx, row);
  await freeSlot(ctx, row);
  await endPlanned(ctx, ended);
  return ended;
}

export const noteAttempt = (
  ctx: TxCtx,
  row: TaskRow,
  { outcome, error }: { outcome: Outcome; error: string | null },
): Promise<void> => {
  const { id, attempt, worker_id, worker, claimed_at } = row;
  const ended_at = endedAt(ctx, row);
  const who = { worker_id: worker_id ?? "", worker: worker ?? "", claimed_at: claimed_at ?? ended_at };
  return store.insertAttempt(ctx.tx, { task_id: id, attempt, ...who, ended_at, outcome, error });
};

/** Never before it was claimed: of two nodes that know the database's clock by a few milliseconds one may be behind. */
function endedAt(ctx: TxCtx, { claimed_at }: TaskRow): string {
  const now = isoNow(ctx);
  return claimed_at !== null && claimed_at > now ? claimed_at : now;
}

/** An attempt has ended without a result: it is tried again later, or that was the last one. */
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
  // Whoever let its lease run out has kept it waiting long enough.
  const at = outcome === "expired" ? null : ctx.now() + backoff(used, Math.random());
  return putBack(ctx, row, { error, at });
}

export const cancelWords = (reason: string | null): { response_summary: string } => ({
  response_summary: reason ? `Cancelled: ${reason}` : "Cancelled",
});

/** Milliseconds until the next attempt after so many; up to a quarter more or less, so that many do not all come at once. */
const backoff = (attempts: number, random: number): number =>
  Math.round(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * (0.75 + random / 2));

/** It waits again: until then, or with no time for whoever is next. Under its key it is one of those that wait for their turn. */
export async function putBack(
  ctx: TxCtx,
  row: TaskRow,
  {
    error,
    at,
    told = taskFailed,
  }: { error: string | null; at: number | null; told?: typeof taskFailed | typeof taskReleased },
): Promise<TaskRow> {
  const free = { worker_id: null, worker: null, run_id: null, claimed_at: null, lease_until: null };
  const run_at = at === null ? null : isoAt(at);
  const turn = row.concurrency_key === null ? null : ("concurrency" as const);
  const held = { held_for: run_at === null ? turn : ("delay" as const), slot: null };
  const waiting: TaskRow = { ...row, ...free, ...held, status: "pending", error, run_at };
  await store.saveWaiting(ctx.tx, waiting);
  await told.tell(ctx, waiting, { worker: row.worker, error, run_at });
  await checkNeeds(ctx, waiting);
  if (run_at !== null) await planSweep(ctx, run_at);
  await freeSlot(ctx, row);
  return row.concurrency_key === null ? waiting : taskOf(ctx, row.id);
}
