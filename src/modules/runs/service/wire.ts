import type { Ctx, TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import type { Attempt, Run } from "../schema.ts";
import * as store from "../store.ts";
import type { AttemptRow, RunRow, RunWakeRow } from "../tables.ts";

export const TOPIC = "run";
export const DEFAULT_SESSION = "_default";

export const isoAt = (ms: number): string => new Date(ms).toISOString();
export const isoNow = (ctx: Ctx): string => isoAt(ctx.now());
export const isLive = ({ state }: Pick<RunRow, "state">): boolean =>
  state === "queued" || state === "claimed" || state === "running";

export const wakeOf = ({ wake_id, wake_attempt }: RunWakeRow): { id: string; attempt: number } => ({
  id: formatId(wake_id),
  attempt: wake_attempt,
});

const dollars = (micros: number | null): number | null => (micros === null ? null : micros / 1_000_000);

export async function wire(ctx: Ctx, row: RunRow, is_paused: boolean): Promise<Run> {
  const { id, kind, name, session_mode, session_key, state, attempt, host, pid, session_id, started_at, ended_at } =
    row;
  const { stop_requested_by, exit_code, signal, error, cause } = row;
  const queued = state === "queued";
  return {
    ...{ id: formatId(id), kind, name, session_mode, session_key, state, attempt, host, pid, session_id },
    waits_for: queued ? await waitsFor(ctx, row, is_paused) : null,
    not_before: queued ? row.not_before : null,
    created_at: timeOfId(id),
    ...{ started_at, ended_at, stop_requested_by, exit_code, signal, error },
    cost_usd: dollars(row.cost_micros),
    output_bytes: await store.findOutputBytes(ctx.db, { space_id: ctx.actor.space_id, run_id: id }),
    cause: cause === null ? null : formatId(cause),
  };
}

async function waitsFor(ctx: Ctx, row: RunRow, is_paused: boolean): Promise<Run["waits_for"]> {
  if (is_paused) return "pause";
  if ((await store.findBefore(ctx.db, row)) !== undefined) return "turn";
  return row.not_before > isoNow(ctx) ? (row.waits_for ?? "backoff") : null;
}

export function wireAttempt({ run_id: _, cookie: __, is_resumed, cost_micros, ...row }: AttemptRow): Attempt {
  return { ...row, resumed: is_resumed === 1, cost_usd: dollars(cost_micros) };
}

export async function runOf(ctx: Ctx, id: number): Promise<RunRow> {
  const row = await store.findRun(ctx.db, { space_id: ctx.actor.space_id, id });
  if (row) return row;
  throw new ParleyError("NOT_FOUND", `There is no run ${formatId(id)}. run_list shows which there are.`);
}

const TYPES = {
  planned: "run.planned",
  started: "run.started",
  stopping: "run.stopping",
  requeued: "run.requeued",
  ended: "run.ended",
} as const;

/** By what it is for: whoever fired it follows its own. */
export const streamOf = ({ kind, name }: Pick<RunRow, "kind" | "name">): string => `${kind}:${name}`;

export function tell(
  ctx: TxCtx,
  row: RunRow,
  what: keyof typeof TYPES,
  more: Record<string, unknown> = {},
): Promise<number> {
  const { id: ref, kind, name, session_key, state, attempt } = row;
  const data = { run_id: formatId(ref), kind, name, session_key, state, attempt, ...more };
  const event = { type: TYPES[what], topic: TOPIC, stream: streamOf(row), data };
  return append(ctx, what === "planned" ? { ...event, id: ref } : { ...event, ref });
}
