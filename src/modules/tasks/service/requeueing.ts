import { z } from "zod";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import type { Requeue, Requeued } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { admitted } from "./admitting.ts";
import { planFile } from "./awaiting.ts";
import { REQUEUE } from "./due-kinds.ts";
import { taskRequeued } from "./events.ts";
import { checkNeeds } from "./planning.ts";
import { endUntold } from "./untold.ts";
import { isoNow, taskOf, wire } from "./wire.ts";

/** Dead tasks that are looked at in one go. */
const PAGE = 200;
/** So many are counted, and no more. */
const MOST_COUNTED = 10_000;
const SHOWN = 5;
const MINUTE_MS = 60_000;
/** So often some of them are requeued. */
const STEP_MS = 1000;

const Filter = z.object({ channel: z.string().optional(), error: z.string().optional() });
type Filter = z.infer<typeof Filter>;

/** One dead task, or all that fit, some a minute. */
export function requeue(ctx: Ctx, { task_id, stop, preview, per_minute, ...filter }: Requeue): Promise<Requeued> {
  if (task_id !== undefined) return requeueOne(ctx, task_id);
  if (stop !== undefined) return stopRequeue(ctx, parseId(stop));
  return transact(ctx, async (ctx) => {
    const { matched, left_out, shown } = await matching(ctx, filter);
    const found = { matched, left_out, requeued: 0, tasks: shown.map((row) => wire(row)) };
    if (preview || matched === 0) return { ...found, requeue_id: null };
    const id = ctx.tx.takeId();
    const started = { started_by: ctx.actor.name, started_at: isoNow(ctx), stopped_at: null };
    const progress = { total: matched, requeued: 0, left_out: 0, after_id: 0 };
    await store.insertRequeue(ctx.tx, { id, filter: JSON.stringify(filter), per_minute, ...progress, ...started });
    await plan(ctx, { kind: REQUEUE, ref: id, at: ctx.now() });
    return { ...found, requeue_id: formatId(id) };
  });
}

function requeueOne(ctx: Ctx, id: number): Promise<Requeued> {
  return transact(ctx, async (ctx) => {
    const row = await taskOf(ctx, id);
    if (row.status !== "dead")
      throw new ParleyError(
        "TASK_STATE",
        `Task ${formatId(id)} is '${row.status}' — can only requeue tasks in 'dead' status`,
        {
          details: { status: row.status },
        },
      );
    const living = row.dedup_key === null ? undefined : await store.findLive(ctx.tx, row.dedup_key);
    if (living) throw keyTaken(row, living);
    return { matched: 1, left_out: 0, requeued: 1, requeue_id: null, tasks: [wire(await revive(ctx, row))] };
  });
}

const keyTaken = ({ id, dedup_key }: TaskRow, living: TaskRow): ParleyError =>
  new ParleyError(
    "CONFLICT",
    `Task ${formatId(id)} has the key ${JSON.stringify(dedup_key)}, and so has task ${formatId(living.id)}, which is '${living.status}'. Requeue it once that one has ended.`,
    { details: { task_id: formatId(living.id), status: living.status } },
  );

function stopRequeue(ctx: Ctx, id: number): Promise<Requeued> {
  return transact(ctx, async (ctx) => {
    const row = await store.findRequeue(ctx.tx, { space_id: ctx.tx.space_id, id });
    if (!row) throw new ParleyError("NOT_FOUND", `No requeue ${formatId(id)} is under way.`);
    await store.updateRequeue(ctx.tx, { ...row, stopped_at: row.stopped_at ?? isoNow(ctx) });
    const { total: matched, left_out, requeued } = row;
    return { matched, left_out, requeued, requeue_id: formatId(id), tasks: [] };
  });
}

async function matching(ctx: TxCtx, filter: Filter): Promise<{ matched: number; left_out: number; shown: TaskRow[] }> {
  const shown: TaskRow[] = [];
  const isFree = freeKeys();
  let [matched, left_out] = [0, 0];
  for (let after_id = 0, more = true; more && matched + left_out < MOST_COUNTED; ) {
    const page = await store.listDead(ctx.tx, { space_id: ctx.tx.space_id, after_id, limit: PAGE });
    const fitting = page.filter((row) => fits(row, filter));
    const free = fitting.filter(isFree);
    shown.push(...free.slice(0, SHOWN - shown.length));
    matched += free.length;
    left_out += fitting.length - free.length;
    more = page.length === PAGE;
    after_id = page.at(-1)?.id ?? after_id;
  }
  return { matched, left_out, shown };
}

/** Whether a task's dedup key is nobody's: no other one's that lives, and none's that was asked about before. */
function freeKeys(): (row: store.DeadRow) => boolean {
  const taken = new Set<string>();
  return ({ dedup_key, living_id }) => {
    if (dedup_key === null) return true;
    const isFree = living_id === null && !taken.has(dedup_key);
    taken.add(dedup_key);
    return isFree;
  };
}

const fits = (row: TaskRow, { channel, error }: Filter): boolean =>
  (channel === undefined || row.channel === channel) && (error === undefined || (row.error ?? "").includes(error));

/** As new, but for its history and its attempts, which go on counting: a token of before means nothing now. */
async function revive(ctx: TxCtx, row: TaskRow): Promise<TaskRow> {
  const fresh = {
    refunded: row.attempt,
    run_at: null,
    relay_owed: null,
    cancel_requested_at: null,
    cancel_reason: null,
  };
  const over = { worker_id: null, worker: null, claimed_at: null, processed_at: null, response_summary: null };
  const where = { space_id: ctx.tx.space_id, task_id: row.id };
  const awaits = row.awaited > 0 ? await store.listAwaits(ctx.tx, where) : [];
  const waiting = await admitted(ctx, { ...row, ...fresh, ...over, status: "pending" });
  await store.saveWaiting(ctx.tx, waiting);
  store.countEnded(ctx.tx, { status: "dead", channel: row.channel, tasks: -1 });
  await store.resetAwaits(ctx.tx, row.id);
  for (const { id } of awaits.filter(({ trigger_name }) => trigger_name !== null)) {
    await planFile(ctx, id);
    await endUntold(ctx, id);
  }
  await taskRequeued.tell(ctx, waiting, {});
  await checkNeeds(ctx, waiting);
  return waiting;
}

/** Some of them, and the next a second later, until all are through or somebody stops it. */
export const requeueSome: DueHandler = async (ctx, { ref }) => {
  const { space_id } = ctx.tx;
  const job = await store.findRequeue(ctx.tx, { space_id, id: ref });
  if (!job || job.stopped_at !== null) return;
  const filter = Filter.parse(JSON.parse(job.filter));
  const a_step = Math.max(1, Math.floor((job.per_minute * STEP_MS) / MINUTE_MS));
  const page = await store.listDead(ctx.tx, { space_id, after_id: job.after_id, limit: PAGE });
  const isFree = freeKeys();
  let { requeued, left_out, after_id } = job;
  let done = 0;
  for (const row of page) {
    if (done === a_step) break;
    after_id = row.id;
    if (!fits(row, filter)) continue;
    if (!isFree(row)) {
      left_out += 1;
      continue;
    }
    await revive(ctx, row);
    done += 1;
  }
  requeued += done;
  const is_through = page.length < PAGE && after_id === (page.at(-1)?.id ?? after_id);
  const stopped_at = is_through ? isoNow(ctx) : null;
  await store.updateRequeue(ctx.tx, { ...job, requeued, left_out, after_id, stopped_at });
  const pause = Math.max(STEP_MS, MINUTE_MS / job.per_minute);
  if (!is_through) await plan(ctx, { kind: REQUEUE, ref, at: ctx.now() + (done === 0 ? 0 : pause) });
};
