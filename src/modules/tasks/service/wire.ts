import type { Ctx, TxCtx } from "../../../context.ts";
import { has } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Hold, Task } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";

export const TOPIC = "tasks";
/** Told of what can be claimed from now on. */
export const READY = "ready";

export const isoAt = (ms: number): string => new Date(ms).toISOString();
export const isoNow = (ctx: Ctx): string => isoAt(ctx.now());

/** Its account, and what it needs in one order. */
export const laneOf = (account: string, needs: readonly string[]): string =>
  [account, ...new Set([...needs].sort())].join(" ");
export const needsOf = (lane: string): string[] => lane.split(" ").slice(1);
export const accountOf = (lane: string): string => lane.split(" ", 1)[0] ?? "";

/** With why nobody is given it, where that is known of its lane. */
export function wire(row: TaskRow, lane_held: Hold | null = null): Task {
  const { id, channel, sender, content, status, response_summary, created_at, processed_at, priority, run_at } = row;
  const { account, dedup_key, concurrency_key, attempt, max_attempts, error, cancel_requested_at, cancel_reason } = row;
  return {
    ...{ id: formatId(id), channel, sender, content, status, response_summary, created_at, processed_at, priority },
    run_at,
    held_for: status === "pending" ? (row.held_for ?? lane_held) : null,
    needs: needsOf(row.lane),
    ...{ account, dedup_key, concurrency_key, attempt, max_attempts },
    claimed_by: row.worker,
    claimed_at: row.claimed_at,
    lease_expires_at: row.lease_until,
    ...{ error, cancel_requested_at, cancel_reason },
    thread_id: row.thread_id === null ? null : formatId(row.thread_id),
  };
}

const noSuchTask = (id: number): ParleyError => new ParleyError("TASK_NOT_FOUND", `Task ${formatId(id)} not found`);

export async function taskOf(ctx: Ctx, id: number): Promise<TaskRow> {
  const row = await store.findTask(ctx.db, { space_id: ctx.actor.space_id, id });
  if (!row) throw noSuchTask(id);
  return row;
}

type Type = "created" | "updated" | "claimed" | "requeued" | "released" | "completed" | "failed" | "cancelled" | "dead";

/**
 * Tells of a task. On the stream of what can be claimed where it can be, else on that of who sent it, which is where
 * somebody waits for its end.
 */
export function tell(ctx: TxCtx, row: TaskRow, what: Type, more: Record<string, unknown> = {}): Promise<number> {
  const { id: ref, channel, sender, status, attempt, held_for, priority } = row;
  const ready = status === "pending" && held_for === null && what !== "updated";
  const data = { task_id: formatId(ref), status, channel, sender, attempt, held_for, priority, ...more };
  const stream = ready ? READY : row.sender_id;
  if (what === "created") return append(ctx, { id: ref, type: "task.created", topic: TOPIC, stream, data });
  return append(ctx, { type: `task.${what}`, topic: TOPIC, stream, ref, data });
}

/** People and workers follow all; who only hands out work, what becomes of its own. */
export const followable = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, ...FOLLOW_ALL) ? null : [ctx.actor.principal_id];
const FOLLOW_ALL = ["admin", "human", "observer", "agent", "orchestrator", "worker"] as const;
