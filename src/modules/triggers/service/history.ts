import { type Ctx, has, TRIGGER_READERS, type TxCtx } from "../../../context.ts";
import { append, type FeedEvent, fromColumns, PURGE_SLICE, purgeAt, purgeBefore, replan } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { DueHandler, Explainer } from "../../../module.ts";
import { cut } from "../../../text.ts";
import * as runs from "../../runs/index.ts";
import * as tasks from "../../tasks/index.ts";
import type { ListRuns, RunList, State } from "../schema.ts";
import * as store from "../store.ts";
import { planRelays } from "./relaying.ts";
import { isoNow, TOPIC, wireRun } from "./wire.ts";

const PURGE = "trigger.purge";
/** A delivery that comes again within this time is known. */
const KEPT_DAYS = 90;
const MOST_OUTCOME = 2000;
const HOUR_MS = 3600 * 1000;

export async function list(ctx: Ctx, { name, limit, before }: ListRuns): Promise<RunList> {
  const from = before === undefined ? Number.MAX_SAFE_INTEGER : parseId(before);
  const rows = await store.listRuns(ctx.db, { space_id: ctx.actor.space_id, name, before: from, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    runs: await Promise.all(shown.map((row) => current(ctx, row))),
    next: rows.length > limit && last ? formatId(last.id) : null,
  };
}

/** Of one that is not over, how far what it became is. */
async function current(ctx: Ctx, row: Parameters<typeof wireRun>[0]): Promise<RunList["runs"][number]> {
  if (row.run_id !== null && row.ended_at === null) {
    const { started_at } = await runs.show(ctx, { id: formatId(row.run_id), after: 0 });
    return wireRun({ ...row, state: started_at === null ? row.state : "running", started_at });
  }
  if (row.task_id === null || row.ended_at !== null) return wireRun(row);
  const { status, claimed_at } = await tasks.look(ctx, row.task_id);
  return wireRun({ ...row, state: status === "processing" ? "running" : row.state, started_at: claimed_at });
}

const STATES: Record<string, State> = {
  "task.completed": "done",
  "task.cancelled": "cancelled",
  "task.dead": "failed",
};

/** A run ends with its task, in its transaction: the next slot sees both or neither. */
export async function endWithTask(ctx: TxCtx, { type, ref, data }: FeedEvent): Promise<void> {
  if (Number(data.wakes) > 0) await planRelays(ctx);
  if (typeof data.sender !== "string" || !data.sender.startsWith("trigger:")) return;
  const run = await store.findRunOfTask(ctx.tx, ref);
  const state = STATES[type];
  if (!run || run.ended_at !== null || state === undefined) return;
  const { claimed_at, response_summary, error } = await tasks.look(ctx, ref);
  const outcome = response_summary ?? error;
  await store.endRun(ctx.tx, {
    ...{ id: run.id, state, started_at: claimed_at, ended_at: isoNow(ctx), cost_micros: null },
    outcome: outcome === null ? null : cut(outcome, MOST_OUTCOME),
  });
  await tellEnd(ctx, run, state);
}

/** The same with the program that it became. */
export async function endWithRun(ctx: TxCtx, { ref, data }: FeedEvent): Promise<void> {
  if (data.kind !== "trigger") return;
  const run = await store.findRunOfRun(ctx.tx, ref);
  if (!run || run.ended_at !== null) return;
  const { started_at, error, cost_usd } = await runs.show(ctx, { id: formatId(ref), after: 0 });
  const state = ENDED[String(data.state)] ?? "failed";
  await store.endRun(ctx.tx, {
    ...{ id: run.id, state, started_at, ended_at: isoNow(ctx) },
    outcome: error === null ? null : cut(error, MOST_OUTCOME),
    cost_micros: cost_usd === null ? null : Math.round(cost_usd * 1_000_000),
  });
  await tellEnd(ctx, run, state);
}

const ENDED: Record<string, State> = { done: "done", failed: "failed", stopped: "cancelled", skipped: "skipped" };

const tellEnd = (ctx: TxCtx, { id: ref, trigger_name }: { id: number; trigger_name: string }, state: State) =>
  append(ctx, {
    ...{ type: "trigger.ended", topic: TOPIC, stream: trigger_name, ref },
    data: { trigger: trigger_name, state },
  });

export async function planPurge(ctx: TxCtx, not_before = 0): Promise<void> {
  const oldest_id = (await store.findOldestRun(ctx.tx)) ?? null;
  await replan(ctx, { kind: PURGE, at: Math.max(not_before, purgeAt(ctx, { oldest_id, days: KEPT_DAYS })) });
}

export const historyDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx) => {
    const old = await store.listOver(ctx.tx, purgeBefore(ctx, KEPT_DAYS), PURGE_SLICE);
    await store.deleteRuns(ctx.tx, old);
    // The oldest may be one that goes on: it is not due at once over and over.
    await planPurge(ctx, old.length < PURGE_SLICE ? ctx.now() + HOUR_MS : 0);
  },
};

/** What fired, and why: the runs are kept for longer than the feed. */
export const triggersExplain: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const row = await store.findRun(ctx.db, { space_id: ctx.actor.space_id, id });
    if (!row) return undefined;
    const text = `Trigger '${row.trigger_name}' fired (${row.source})${row.reason === null ? "" : `: ${row.reason}`}`;
    return { shown: sees(ctx) ? { kind: "trigger", by: row.sender, text } : null, cause: fromColumns(row) };
  },
  sees: async (ctx) => sees(ctx),
};

const sees = ({ actor }: Ctx): boolean => has(actor, ...TRIGGER_READERS);
