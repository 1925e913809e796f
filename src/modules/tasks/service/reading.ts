import type { Ctx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { fitting, page, startOf } from "../../../pages.ts";
import {
  type FindTasks,
  type FoundTasks,
  type GetTask,
  type ListTasks,
  STATUSES,
  type Stats,
  type TaskDetails,
  type TaskList,
} from "../schema.ts";
import * as store from "../store.ts";
import type { AwaitRow, TaskRow } from "../tables.ts";
import { consumeOwn, isGivenUp, triggerOf } from "./awaiting.ts";
import { laneHolds } from "./holding.ts";
import { holdReasons } from "./reasons.ts";
import { taskOf, wire } from "./wire.ts";

/** The same; a trigger's session that waits for it and reads of its end has been told. */
export async function get(ctx: Ctx, { task_id }: GetTask): Promise<TaskDetails> {
  const task = await look(ctx, task_id);
  if (task.processed_at !== null && triggerOf(ctx) !== undefined) await consumeOwn(ctx, task_id);
  return task;
}

/** One task with all that happened to it. */
export async function look(ctx: Ctx, task_id: number): Promise<TaskDetails> {
  const row = await taskOf(ctx, task_id);
  const where = { space_id: ctx.actor.space_id, task_id };
  const attempts = (await store.listAttempts(ctx.db, where)).map(
    ({ task_id: _, worker_id: __, ...attempt }) => attempt,
  );
  const awaits = await Promise.all((await store.listAwaits(ctx.db, where)).map((one) => awaitOf(ctx, one)));
  const { cause } = row;
  const hold = await (await holdReasons(ctx)).holdOf(row);
  return {
    ...wire(row, hold?.reason ?? null),
    attempts: [...attempts, ...underWay(row)],
    awaits,
    cause: cause === null ? null : formatId(cause),
    hold,
  };
}

async function awaitOf(ctx: Ctx, row: AwaitRow): Promise<TaskDetails["awaits"][number]> {
  const { id, attempt, waiter, session_key, registered_at, offered_at, consumed_at } = row;
  const is_owed = row.trigger_name !== null && attempt !== null && row.ended_at !== null && consumed_at === null;
  const given_up = is_owed && (await isGivenUp(ctx, { id: formatId(id), attempt }));
  return { waiter, session_key, registered_at, offered_at, consumed_at, given_up };
}

const underWay = ({ status, attempt, worker, claimed_at }: TaskRow): TaskDetails["attempts"] =>
  status === "processing" && worker !== null && claimed_at !== null
    ? [{ attempt, worker, claimed_at, ended_at: null, outcome: null, error: null }]
    : [];

const ONGOING = ["pending", "processing"];

/** What is still to be done, the oldest first; what is over, the newest first. */
export async function list(ctx: Ctx, { status, channel, limit, cursor }: ListTasks): Promise<TaskList> {
  const oldest_first = ONGOING.includes(status);
  const from = oldest_first && !cursor ? 0 : startOf(cursor);
  const wanted = { space_id: ctx.actor.space_id, status, channel: channel ?? null, cursor: from, limit: limit + 1 };
  const rows = await (oldest_first ? store.listOldest(ctx.db, wanted) : store.listNewest(ctx.db, wanted));
  const sized = rows.map((row) => ({ row, bytes: row.content.length + (row.response_summary?.length ?? 0) }));
  const { shown, next } = page(sized, Math.min(limit, fitting(sized).length), ({ row }) => row.id);
  const holdOf = await laneHolds(ctx);
  return {
    tasks: shown.map(({ row }) => wire(row, holdOf(row.lane))),
    next,
  };
}

/** The newest, whatever their status: for whoever knows how an id begins. */
export async function find(ctx: Ctx, { before, limit }: FindTasks): Promise<FoundTasks> {
  const rows = await store.listBefore(ctx.db, { space_id: ctx.actor.space_id, before_id: startOf(before), limit });
  return { tasks: rows.map(({ id, ...row }) => ({ id: formatId(id), ...row })) };
}

export async function stats(ctx: Ctx): Promise<Stats> {
  const { space_id } = ctx.actor;
  const totals = await store.listTotals(ctx.db, space_id);
  const by_status: Record<string, number> = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  const by_channel: Record<string, number> = {};
  for (const { status, channel, tasks } of totals) {
    by_status[status] = (by_status[status] ?? 0) + tasks;
    by_channel[channel] = (by_channel[channel] ?? 0) + tasks;
  }
  const oldest = await store.findOldestPending(ctx.db, space_id);
  return {
    total: totals.reduce((sum, { tasks }) => sum + tasks, 0),
    by_status,
    by_channel,
    oldest_pending_seconds: oldest === undefined ? null : secondsSince(ctx, oldest),
  };
}

const secondsSince = (ctx: Ctx, id: number): number =>
  Math.max(0, Math.floor((ctx.now() - Math.floor(id / 1000)) / 1000));
