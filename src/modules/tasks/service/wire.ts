import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import type { Hold, Task } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";

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
