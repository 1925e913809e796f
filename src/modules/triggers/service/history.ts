import { type Ctx, has, TRIGGER_READERS, type TxCtx } from "../../../context.ts";
import { type FeedEvent, fromColumns } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Explainer } from "../../../module.ts";
import { page, startOf } from "../../../pages.ts";
import { retention } from "../../../retention.ts";
import { cut } from "../../../text.ts";
import * as runs from "../../runs/index.ts";
import * as tasks from "../../tasks/index.ts";
import type { ListRuns, RunList, State } from "../schema.ts";
import * as store from "../store.ts";
import { TOPIC, tellEnded } from "./events.ts";
import { planRelays } from "./relaying.ts";
import { askOfUntold } from "./untold.ts";
import { isoNow, wireRun } from "./wire.ts";

/** A delivery that comes again within this time is known. */
const KEPT_DAYS = 90;
const MOST_OUTCOME = 2000;

export async function list(ctx: Ctx, { name, limit, before }: ListRuns): Promise<RunList> {
  const wanted = { space_id: ctx.actor.space_id, name, before: startOf(before), limit: limit + 1 };
  const { shown, next } = page(await store.listRuns(ctx.db, wanted), limit, ({ id }) => id);
  return { runs: await Promise.all(shown.map((row) => current(ctx, row))), next };
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
export async function endWithTask(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { type, ref } = event;
  const { sender, wakes } = tasks.endIn(event);
  if (wakes > 0) await planRelays(ctx);
  if (!sender?.startsWith("trigger:")) return;
  const run = await store.findRunOfTask(ctx.tx, ref);
  const state = STATES[type];
  if (!run || run.ended_at !== null || state === undefined) return;
  const { claimed_at, response_summary, error } = await tasks.look(ctx, ref);
  const outcome = response_summary ?? error;
  await store.endRun(ctx.tx, {
    ...{ id: run.id, state, started_at: claimed_at, ended_at: isoNow(ctx), cost_micros: null },
    outcome: outcome === null ? null : cut(outcome, MOST_OUTCOME),
  });
  await tellEnded(ctx, run, state);
}

/** The same with the program that it became. */
export async function endWithRun(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { ref } = event;
  const ended = runs.endedIn(event);
  if (ended.kind !== "trigger") return;
  await askOfUntold(ctx, event);
  const run = await store.findRunOfRun(ctx.tx, ref);
  if (!run || run.ended_at !== null) return;
  const { started_at, error, cost_usd } = await runs.show(ctx, { id: formatId(ref), after: 0 });
  const state = ENDED[ended.state] ?? "failed";
  await store.endRun(ctx.tx, {
    ...{ id: run.id, state, started_at, ended_at: isoNow(ctx) },
    outcome: error === null ? null : cut(error, MOST_OUTCOME),
    cost_micros: cost_usd === null ? null : Math.round(cost_usd * 1_000_000),
  });
  await tellEnded(ctx, run, state);
}

const ENDED: Record<string, State> = { done: "done", failed: "failed", stopped: "cancelled", skipped: "skipped" };

export const historyRetention = retention({
  kind: "trigger.purge",
  days: () => KEPT_DAYS,
  oldest: async ({ tx }) => (await store.findOldestRun(tx)) ?? null,
  remove: async ({ tx }, { before_id, limit }) => {
    const old = await store.listOver(tx, before_id, limit);
    await store.deleteRuns(tx, old);
    // The oldest may be one that goes on.
    return old.length < limit;
  },
});

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
