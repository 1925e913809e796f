import type { Ctx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { cut } from "../../../text.ts";
import { withoutMarks } from "../../../untrusted.ts";
import {
  type Board,
  type BoardRequeue,
  type Card,
  COLUMNS,
  type Column,
  type LookAtBoard,
  type TaskDetails,
} from "../schema.ts";
import * as store from "../store.ts";
import { get } from "./reading.ts";
import { holdReasons, type Reasons } from "./reasons.ts";

/** As much of a text as a card shows. */
const MOST_TEXT = 160;

/** Tasks as they stand, by column, with what holds each of them back: one read for all of a page. */
export async function board(ctx: Ctx, { column, limit, task_id }: LookAtBoard): Promise<Board> {
  const reasons = await holdReasons(ctx);
  const wanted = column === undefined ? COLUMNS : [column];
  const [counts, rows, task, requeue] = await Promise.all([
    countColumns(ctx, reasons),
    Promise.all(wanted.map((one) => listColumn(ctx, reasons, { column: one, limit }))),
    task_id === undefined ? null : find(ctx, task_id),
    requeueUnderWay(ctx),
  ]);
  const columns = await Promise.all(
    wanted.map(async (one, at) => ({
      column: one,
      tasks: await Promise.all((rows[at] ?? []).map((row) => cardOf(row, reasons))),
    })),
  );
  return { counts, columns, task, requeue };
}

async function find(ctx: Ctx, task_id: number): Promise<TaskDetails | null> {
  const row = await store.findTask(ctx.db, { space_id: ctx.actor.space_id, id: task_id });
  return row ? get(ctx, { task_id }) : null;
}

async function countColumns(ctx: Ctx, reasons: Reasons): Promise<Record<Column, number>> {
  const { space_id } = ctx.actor;
  const [lanes, unfinished, over] = await Promise.all([
    store.countReady(ctx.db, space_id),
    store.countUnfinished(ctx.db, space_id),
    store.countOver(ctx.db, space_id),
  ]);
  const sum = (isHeld: boolean): number =>
    lanes.reduce((all, { lane, tasks }) => all + ((reasons.laneHold(lane) !== null) === isHeld ? tasks : 0), 0);
  return {
    waiting: sum(false),
    held: unfinished.held + sum(true),
    working: unfinished.working,
    done: (over.get("done") ?? 0) + (over.get("cancelled") ?? 0),
    dead: over.get("dead") ?? 0,
  };
}

function listColumn(
  ctx: Ctx,
  reasons: Reasons,
  { column, limit }: { column: Column; limit: number },
): Promise<store.CardRow[]> {
  const args = { space_id: ctx.actor.space_id, limit };
  if (column === "working") return store.listWorking(ctx.db, args);
  if (column === "done") return store.listOver(ctx.db, args);
  if (column === "dead") return store.listDeadCards(ctx.db, args);
  return listPending(ctx, reasons, { held: column === "held", limit });
}

/** What holds a lane is known of the lane alone, so each is looked at: there are few. */
async function listPending(
  ctx: Ctx,
  { laneHold }: Reasons,
  { held, limit }: { held: boolean; limit: number },
): Promise<store.CardRow[]> {
  const { space_id } = ctx.actor;
  const lanes = (await store.listLanes(ctx.db, space_id)).filter((lane) => (laneHold(lane) !== null) === held);
  const ready = (await Promise.all(lanes.map((lane) => store.listReady(ctx.db, { space_id, lane, limit })))).flat();
  const rows = held ? [...ready, ...(await store.listHeld(ctx.db, { space_id, limit }))] : ready;
  return rows.sort((a, b) => orderOf(a) - orderOf(b) || a.id - b.id).slice(0, limit);
}

/** Who has a time is behind those that may go on at any moment. */
const orderOf = ({ held_for, run_at, order_key }: store.CardRow): number =>
  held_for === "delay" && run_at !== null ? Date.parse(run_at) * 1000 : order_key;

async function cardOf(row: store.CardRow, { holdOf }: Reasons): Promise<Card> {
  const { channel, sender, status, created_at, processed_at, priority, run_at, attempt, refunded, max_attempts } = row;
  return {
    ...{ id: formatId(row.id), channel, sender, status, created_at, processed_at, priority, run_at },
    text: cut(withoutMarks(row.content).trim().replaceAll(/\s+/g, " "), MOST_TEXT),
    ...{ attempt, tries: attempt - refunded, max_attempts },
    claimed_by: status === "processing" ? row.worker : null,
    claimed_at: status === "processing" ? row.claimed_at : null,
    lease_expires_at: row.lease_until,
    error: row.error === null ? null : cut(row.error, MOST_TEXT),
    cancel_requested_at: row.cancel_requested_at,
    hold: await holdOf(row),
  };
}

async function requeueUnderWay(ctx: Ctx): Promise<BoardRequeue | null> {
  const row = await store.findRequeueUnderWay(ctx.db, ctx.actor.space_id);
  if (!row) return null;
  const { total, requeued, left_out, per_minute, started_by, started_at } = row;
  return { requeue_id: formatId(row.id), total, requeued, left_out, per_minute, started_by, started_at };
}
