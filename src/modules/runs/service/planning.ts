import type { Ctx, TxCtx } from "../../../context.ts";
import { because, toColumns } from "../../../feed/index.ts";
import { DEFAULT_ACCOUNT } from "../../tasks/index.ts";
import type { Kind, SessionMode } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { runPlanned } from "./events.ts";
import { DEFAULT_SESSION, isoNow, wakeOf } from "./wire.ts";

/** Characters that one run tells its session before another one is planned: a program may get them as an argument. */
const MOST_TOLD = 50_000;

export interface NewRun {
  kind: Kind;
  /** The trigger, worker or agent it is for. */
  name: string;
  session_mode: SessionMode;
  /** Which of its sessions. */
  session_key?: string | undefined;
  /** What the program is told. */
  prompt: string;
  /** The event that led to it, where that is not what led to the whole operation. */
  cause?: number | undefined;
  /** How often it is tried again after it failed. What could not be started is tried until it can. */
  retries?: number;
  /** It waits for no other of the same name and key. Only without a session to go on with. */
  parallel?: boolean;
  /** It waits until that run is over, and for those that do the same. */
  behind?: number | undefined;
  /** It does not begin earlier. */
  not_before?: string | undefined;
}

/** Has a program started, by whichever node can, once those before it in its session are over. The run's id. */
export async function plan(outer: TxCtx, run: NewRun): Promise<number> {
  const ctx = run.cause === undefined ? outer : because(outer, run.cause);
  const { kind, name, session_mode, session_key = DEFAULT_SESSION, prompt, retries = 0 } = run;
  const id = ctx.tx.takeId();
  const streak = kind === "trigger" ? undefined : await store.findStreak(ctx.tx, { ...run, space_id: ctx.tx.space_id });
  const now = isoNow(ctx);
  const [not_before = now] = [now, streak?.retry_at ?? now, run.not_before ?? now].sort().reverse();
  const row: RunRow = {
    ...{ space_id: ctx.tx.space_id, id, kind, name, session_mode, session_key, prompt, retries, not_before },
    lane: await laneOf(ctx, { ...run, session_key }, id),
    state: "queued",
    waits_for: not_before > now ? "backoff" : null,
    ...NOT_BEGUN,
    ...toColumns(ctx.cause),
  };
  await Promise.all([store.insertRun(ctx.tx, row), runPlanned.tell(ctx, row, {})]);
  return id;
}

/** Of a session that is kept one runs at a time; others may have a lane of their own, or share that of the one before. */
async function laneOf(
  ctx: TxCtx,
  { session_mode, parallel = false, behind, session_key }: NewRun & { session_key: string },
  id: number,
): Promise<string> {
  if (session_mode === "persistent") return session_key;
  const before =
    behind === undefined ? undefined : await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id: behind });
  return before?.lane ?? (parallel ? `run ${id}` : session_key);
}

interface Telling extends NewRun {
  /** The end of a task: it is left out once the session knows, and taken when the run went well. */
  wake: { id: string; attempt: number };
}

/** Tells a session of an end, together with others where a run that does so has not begun. */
export async function tellSession(ctx: TxCtx, { wake, ...run }: Telling): Promise<void> {
  const { kind, name, session_mode, session_key = DEFAULT_SESSION, behind: waited_in = 0, prompt: told } = run;
  const session = { kind, name, session_mode, session_key, waited_in, most: MOST_TOLD };
  const run_id = (await store.findGathering(ctx.tx, session)) ?? (await plan(ctx, run));
  await store.insertWake(ctx.tx, { run_id, wake_id: Number(wake.id), wake_attempt: wake.attempt, waited_in, told });
}

/** Whether there is, or was, a run that tells of that end. */
export const isTold = (ctx: Ctx, { id, attempt }: Telling["wake"]): Promise<boolean> =>
  store.hasWake(ctx.db, { space_id: ctx.actor.space_id, wake_id: Number(id), wake_attempt: attempt });

/** Whether there was one, and none is to come. */
export async function isGivenUp(ctx: Ctx, wake: Telling["wake"]): Promise<boolean> {
  const told = { space_id: ctx.actor.space_id, wake_id: Number(wake.id), wake_attempt: wake.attempt };
  return (await isTold(ctx, wake)) && !(await store.isTelling(ctx.db, told));
}

/** As if no run had told of it, for another to do so. */
export const untell = (ctx: TxCtx, { id, attempt }: Telling["wake"]): Promise<void> =>
  store.deleteWake(ctx.tx, { wake_id: Number(id), wake_attempt: attempt });

/** The ends that a run was to tell its session of. */
export const listTold = async (ctx: TxCtx, run_id: number): Promise<Telling["wake"][]> =>
  (await store.listWakes(ctx.tx, run_id)).map(wakeOf);

const NOT_BEGUN = {
  ...{
    failures: 0,
    losses: 0,
    attempt: 0,
    claimed_id: null,
    node: null,
    node_boot: null,
    host: null,
    pid: null,
    pid_start: null,
  },
  ...{
    session_id: null,
    account: DEFAULT_ACCOUNT,
    token_id: null,
    stop_requested_at: null,
    stop_requested_by: null,
    started_at: null,
  },
  ...{ ended_at: null, exit_code: null, signal: null, error: null, cost_micros: null },
  ...{ approval_id: null, permitted_in: null },
} as const;
