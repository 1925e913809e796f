import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { type Attempt, Can, type Run } from "../schema.ts";
import * as store from "../store.ts";
import type { AttemptRow, NodeRow, RunRow, RunWakeRow } from "../tables.ts";

export const DEFAULT_SESSION = "_default";
/** One that ended without a word comes back, mostly; after so long it is forgotten. */
export const FORGET_MS = 24 * 3600 * 1000;
/** What may begin does so within this, where a node has room for it. */
const MOMENT_MS = 5000;

export const isoAt = (ms: number): string => new Date(ms).toISOString();
export const isoNow = (ctx: Ctx): string => isoAt(ctx.now());
export const isLive = ({ state }: Pick<RunRow, "state">): boolean =>
  state === "queued" || state === "claimed" || state === "running";

/** It has begun, and no process of it lives until somebody has decided. */
export const waitsForApproval = ({ state, waits_for }: Pick<RunRow, "state" | "waits_for">): boolean =>
  state === "queued" && waits_for === "approval";

export const wakeOf = ({ wake_id, wake_attempt }: RunWakeRow): { id: string; attempt: number } => ({
  id: formatId(wake_id),
  attempt: wake_attempt,
});

/** For which budgets it counts, beside that of the space. */
export const spender = ({ name, account }: RunRow): { agent: string; account: string } => ({ agent: name, account });

const dollars = (micros: number | null): number | null => (micros === null ? null : micros / 1_000_000);

export async function wire(ctx: Ctx, row: RunRow, is_paused: boolean): Promise<Run> {
  const { id, kind, name, session_mode, session_key, state, attempt, host, pid, session_id, started_at, ended_at } =
    row;
  const { account, stop_requested_by, exit_code, signal, error, cause } = row;
  const queued = state === "queued";
  return {
    ...{ id: formatId(id), kind, name, session_mode, session_key, state, attempt, host, pid, session_id, account },
    waits_for: queued ? await waitsFor(ctx, row, is_paused) : null,
    not_before: queued && !waitsForApproval(row) ? row.not_before : null,
    approval_id: waitsForApproval(row) && row.approval_id !== null ? formatId(row.approval_id) : null,
    created_at: timeOfId(id),
    ...{ started_at, ended_at, stop_requested_by, exit_code, signal, error },
    cost_usd: dollars(row.cost_micros),
    output_bytes: await store.findOutputBytes(ctx.db, { space_id: ctx.actor.space_id, run_id: id }),
    cause: cause === null ? null : formatId(cause),
  };
}

async function waitsFor(ctx: Ctx, row: RunRow, is_paused: boolean): Promise<Run["waits_for"]> {
  if (waitsForApproval(row)) return "approval";
  if (is_paused) return "pause";
  if ((await store.findBefore(ctx.db, row)) !== undefined) return "turn";
  const now = isoNow(ctx);
  if (row.not_before > now) return row.waits_for ?? "backoff";
  // A node that went of late is expected back, with what it could start.
  const nodes = await store.listLiveNodes(ctx.db, isoAt(ctx.now() - FORGET_MS));
  if (!canAny(nodes, row)) return "program";
  return row.not_before < isoAt(ctx.now() - MOMENT_MS) ? "room" : null;
}

/** Whether one of these nodes has a program for it. */
export function canAny(nodes: readonly NodeRow[], { kind, name }: Pick<RunRow, "kind" | "name">): boolean {
  const abilities = nodes.map(({ can }) => Can.parse(JSON.parse(can)));
  return abilities.some((can) => can[kind] || (kind === "trigger" && can.triggers.includes(name)));
}

export function wireAttempt({ run_id: _, cookie: __, is_resumed, cost_micros, ...row }: AttemptRow): Attempt {
  return { ...row, resumed: is_resumed === 1, cost_usd: dollars(cost_micros) };
}

export async function runOf(ctx: Ctx, id: number): Promise<RunRow> {
  const row = await store.findRun(ctx.db, { space_id: ctx.actor.space_id, id });
  if (row) return row;
  throw new ParleyError("NOT_FOUND", `There is no run ${formatId(id)}. run_list shows which there are.`);
}
