import type { TxCtx } from "../../../context.ts";
import { because, toColumns } from "../../../feed/index.ts";
import type { Kind, SessionMode } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { DEFAULT_SESSION, isoNow, tell } from "./wire.ts";

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
  /** It does not begin earlier. */
  not_before?: string | undefined;
}

/** Has a program started, by whichever node can, once those before it in its session are over. The run's id. */
export async function plan(outer: TxCtx, run: NewRun): Promise<number> {
  const ctx = run.cause === undefined ? outer : because(outer, run.cause);
  const { kind, name, session_mode, session_key = DEFAULT_SESSION, prompt, retries = 0, parallel = false } = run;
  const id = ctx.tx.takeId();
  const streak = kind === "trigger" ? undefined : await store.findStreak(ctx.tx, { ...run, space_id: ctx.tx.space_id });
  const now = isoNow(ctx);
  const [not_before = now] = [now, streak?.retry_at ?? now, run.not_before ?? now].sort().reverse();
  const row: RunRow = {
    ...{ space_id: ctx.tx.space_id, id, kind, name, session_mode, session_key, prompt, retries, not_before },
    lane: parallel && session_mode === "ephemeral" ? `run ${id}` : session_key,
    state: "queued",
    waits_for: not_before > now ? "backoff" : null,
    ...NOT_BEGUN,
    ...toColumns(ctx.cause),
  };
  await Promise.all([store.insertRun(ctx.tx, row), tell(ctx, row, "planned")]);
  return id;
}

const NOT_BEGUN = {
  ...{ failures: 0, losses: 0, attempt: 0, node: null, node_boot: null, host: null, pid: null, pid_start: null },
  ...{ session_id: null, token_id: null, stop_requested_at: null, stop_requested_by: null, started_at: null },
  ...{ ended_at: null, exit_code: null, signal: null, error: null, cost_micros: null },
} as const;
