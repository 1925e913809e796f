import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { withdrawOpen } from "../../approvals/index.ts";
import { endTokens } from "../../identity/index.ts";
import { charge, consumeWake, giveBackOfRun, holdAccount, holdOfRun, keepOfRun } from "../../tasks/index.ts";
import type { Outcome } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { deferred, GONE_ON, letGo } from "./deferring.ts";
import { runEnded, runRequeued, runStarted } from "./events.ts";
import { addFailure, backoff, endStreak } from "./streaks.ts";
import { isoAt, isoNow, spender, wakeOf } from "./wire.ts";

/** So often a run begins anew because its node went away. */
const MOST_LOSSES = 5;
const LONGEST_THROTTLE_MS = 24 * 3600 * 1000;
const MOST_ERROR = 2000;

/** Who holds it: an attempt that is over changes nothing any more. */
export interface Held {
  space_id: string;
  id: number;
  attempt: number;
}

export interface Ending {
  outcome: Outcome;
  exit_code?: number | null;
  signal?: string | null;
  error?: string | null;
  /** What the client has counted up for its session, in dollars. */
  cost_usd?: number | undefined;
  /** When a client that met a quota may be asked again. */
  throttled_until?: number | undefined;
  output?: { bytes: number; text: string };
}

const heldRow = async (ctx: TxCtx, { id, attempt }: Held): Promise<RunRow | undefined> => {
  const row = await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id });
  return row && row.attempt === attempt && (row.state === "claimed" || row.state === "running") ? row : undefined;
};

const inSpace = { even_expired: true };

/** The process is there. False when the attempt has been given up meanwhile: then it has to go. */
export function started(ctx: Ctx, held: Held, { pid, pid_start }: { pid: number; pid_start: string }) {
  return transact(ctx, async (ctx) => {
    const row = await heldRow(ctx, held);
    if (!row) return false;
    const started_at = isoNow(ctx);
    const running = { ...row, state: "running", pid, pid_start, started_at: row.started_at ?? started_at } as const;
    await store.saveRun(ctx.tx, running);
    await store.startAttempt(ctx.tx, { run_id: row.id, attempt: row.attempt, pid, started_at });
    await runStarted.tell(ctx, running, {});
    return true;
  });
}

/** The session that a client has chosen itself. */
export function noteSession(ctx: Ctx, held: Held, session_id: string): Promise<void> {
  return transact(ctx, async (ctx) => {
    const row = await heldRow(ctx, held);
    if (!row || row.session_id === session_id) return;
    await store.saveRun(ctx.tx, { ...row, session_id });
    await store.saveAttemptSession(ctx.tx, { run_id: row.id, attempt: row.attempt, session_id });
    const known = await store.findSession(ctx.tx, row);
    if (row.session_mode === "persistent" && known)
      await store.saveSession(ctx.tx, { ...known, session_id, updated_at: isoNow(ctx) });
  });
}

/** What it has printed so far, without a turn at the space's counter. */
export const noteOutput = (ctx: Ctx, held: Held, { bytes, text }: { bytes: number; text: string }): Promise<boolean> =>
  store.updateOutput(ctx.database, {
    ...{ space_id: held.space_id, run_id: held.id, attempt: held.attempt },
    ...{ bytes, output: text },
  });

/** Its program lives: what it has taken stays its own, without a turn at the space's counter. */
export const keepTasks = (ctx: Ctx, { id }: Held): Promise<number> => keepOfRun(ctx, id);

/** How the attempt ended, once: its token is over with it. False when it had been given up before. */
export function record(ctx: Ctx, held: Held, ending: Ending): Promise<boolean> {
  const work = async (ctx: TxCtx): Promise<boolean> => {
    const row = await heldRow(ctx, held);
    if (!row) return false;
    await endAttempt(ctx, row, ending);
    return true;
  };
  return transact(ctx, work, inSpace);
}

/** The node that had it is gone, whatever became of its process: it begins anew. False when it was not so. */
export function giveUp(ctx: Ctx, held: Held): Promise<boolean> {
  const work = async (ctx: TxCtx): Promise<boolean> => {
    const row = await heldRow(ctx, held);
    if (!row || (await isNodeThere(ctx, row))) return false;
    await endAttempt(ctx, row, { outcome: "lost", error: `The hub that ran it on ${row.host} is gone.` });
    return true;
  };
  return transact(ctx, work, inSpace);
}

async function isNodeThere(ctx: TxCtx, { node, node_boot }: RunRow): Promise<boolean> {
  const nodes = await store.listLiveNodes(ctx.tx, isoNow(ctx));
  return nodes.some(({ id, boot }) => id === node && boot === node_boot);
}

async function endAttempt(ctx: TxCtx, row: RunRow, told_ending: Ending): Promise<void> {
  const ending = unlessDeferredByOthers(row, told_ending);
  const { outcome, exit_code = null, signal = null, output } = ending;
  const { id: run_id, attempt, token_id } = row;
  if (token_id !== null) await endTokens(ctx, [token_id]);
  const cost = await costOf(ctx, row, ending.cost_usd);
  if (cost !== null && cost > 0) await charge(ctx, { ...spender(row), cost_usd: cost / 1_000_000 });
  const error = ending.error?.slice(0, MOST_ERROR) ?? null;
  const ended_at = isoNow(ctx);
  await store.endAttempt(ctx.tx, { run_id, attempt, ended_at, outcome, exit_code, signal, error, cost_micros: cost });
  if (output) await store.saveOutput(ctx.tx, { run_id, attempt, bytes: output.bytes, output: output.text });
  const cost_micros = cost === null ? row.cost_micros : (row.cost_micros ?? 0) + cost;
  const over = { ...row, token_id: null, exit_code, signal, error, cost_micros, pid: null, pid_start: null };
  const next = await nextState(ctx, over, ending);
  await store.saveRun(ctx.tx, next);
  const throttled_until = outcome === "throttled" ? quotaEndOf(ctx, ending) : undefined;
  if (row.approval_id !== null && next.approval_id === null) await withdrawOpen(ctx, row.approval_id);
  if (row.kind === "worker" && next.approval_id !== null) await holdOfRun(ctx, row.id);
  else if (row.kind === "worker") await giveBackTasks(ctx, row, { ...ending, throttled_until });
  if (throttled_until !== undefined) await holdAccount(ctx, row.account, throttled_until);
  const wakes = next.state === "done" && row.kind === "trigger" ? await store.listWakes(ctx.tx, row.id) : [];
  for (const wake of wakes) await consumeWake(ctx, wakeOf(wake));
  const told = { outcome, error, exit_code, cost_usd: cost_micros === null ? null : cost_micros / 1_000_000 };
  if (next.state === "queued") await runRequeued.tell(ctx, next, { ...told, not_before: next.not_before });
  else await runEnded.tell(ctx, next, told);
}

/** A call that a hook of the owner's put off nobody here is asked about: the run would wait for good. */
const unlessDeferredByOthers = ({ approval_id }: RunRow, ending: Ending): Ending =>
  ending.outcome === "deferred" && approval_id === null
    ? { ...ending, outcome: "failed", error: "A hook of its own put a call off, and nobody here is asked about it." }
    : ending;

/** It was ended for a reason that has nothing to do with what it worked on. */
const NOT_ITS_FAULT: readonly Outcome[] = ["stopped", "interrupted", "lost", "session_lost", "not_deferred"];

/** What it had taken is for the next: nobody works on it any more, and nothing of it could complete it. */
function giveBackTasks(
  ctx: TxCtx,
  { id }: RunRow,
  { outcome, error, throttled_until }: Omit<Ending, "throttled_until"> & { throttled_until: string | undefined },
): Promise<void> {
  const how = error ?? "It ended without having done the task.";
  const is_free = NOT_ITS_FAULT.includes(outcome);
  return giveBackOfRun(ctx, id, { error: `Run ${formatId(id)} had it: ${how}`, is_free, throttled_until });
}

/** Until when a client that met a quota is not asked again. */
function quotaEndOf(ctx: TxCtx, { throttled_until = 0 }: Ending): string {
  const now = ctx.now();
  return isoAt(Math.max(Math.min(throttled_until, now + LONGEST_THROTTLE_MS), now + backoff(1)));
}

/** A client counts up over all that it does in a session: what is new is the difference. */
async function costOf(ctx: TxCtx, row: RunRow, cost_usd: number | undefined): Promise<number | null> {
  if (cost_usd === undefined) return null;
  const total = Math.round(cost_usd * 1_000_000);
  if (row.session_mode === "ephemeral") return total - (await costBefore(ctx, row));
  const known = await store.findSession(ctx.tx, row);
  if (!known) return total;
  await store.saveSession(ctx.tx, { ...known, cost_micros: total, updated_at: isoNow(ctx) });
  // One that began anew counts from nothing.
  return total >= known.cost_micros ? total - known.cost_micros : total;
}

/** Of the attempts before in the same session: of one that is not kept there are several where it had to wait for people. */
async function costBefore(ctx: TxCtx, { id: run_id, attempt, session_id }: RunRow): Promise<number> {
  const attempts = await store.listAttempts(ctx.tx, { space_id: ctx.tx.space_id, run_id });
  return attempts
    .filter((one) => one.attempt < attempt && one.session_id === session_id)
    .reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0);
}

async function nextState(ctx: TxCtx, row: RunRow, ending: Ending): Promise<RunRow> {
  const { outcome } = ending;
  const ended = (state: RunRow["state"]): RunRow => ({
    ...{ ...row, ...GONE_ON, state, waits_for: null, ended_at: isoNow(ctx) },
  });
  const again = (at: number, more: Partial<RunRow> = {}): RunRow => ({
    ...{ ...row, ...GONE_ON, state: "queued", waits_for: null, not_before: isoAt(at) },
    ...more,
  });
  /** What its client had put off is still put off, whatever became of its process. */
  const resumed = async (): Promise<RunRow> =>
    row.approval_id === null ? again(ctx.now()) : deferred(ctx, row, row.approval_id);
  if (outcome === "done") {
    await endStreak(ctx, row);
    return ended("done");
  }
  if (outcome === "skipped") return ended("skipped");
  if (row.stop_requested_at !== null || outcome === "stopped") return ended("stopped");
  if (outcome === "deferred" || outcome === "interrupted") return resumed();
  if (outcome === "not_deferred") return again(ctx.now());
  if (outcome === "lost")
    return row.losses + 1 > MOST_LOSSES ? ended("failed") : { ...(await resumed()), losses: row.losses + 1 };
  if (outcome === "session_lost") {
    await store.deleteSession(ctx.tx, row);
    return again(ctx.now(), { session_id: null });
  }
  if (outcome === "throttled") return again(Date.parse(quotaEndOf(ctx, ending)), { waits_for: "quota" });
  const retry_at = await addFailure(ctx, { ...row, error: row.error ?? "It failed." });
  const failures = row.failures + 1;
  const tries_again = outcome === "not_started" || failures <= row.retries;
  return tries_again
    ? again(Date.parse(retry_at), { failures, waits_for: "backoff" })
    : { ...ended("failed"), failures };
}

/** It could not even be claimed, for a reason that will not pass. */
export function failUnclaimed(ctx: Ctx, id: number, error: string): Promise<void> {
  const work = async (ctx: TxCtx): Promise<void> => {
    const row = await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id });
    if (row?.state !== "queued") return;
    await addFailure(ctx, { ...row, error });
    const failed = { ...row, ...GONE_ON, state: "failed", waits_for: null, error, ended_at: isoNow(ctx) } as const;
    await store.saveRun(ctx.tx, failed);
    await letGo(ctx, row, error);
    await runEnded.tell(ctx, failed, { outcome: "failed", error });
  };
  return transact(ctx, work, inSpace);
}
