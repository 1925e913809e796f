import { type Ctx, has } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { isoAt } from "./wire.ts";

/** Has the actor's lease begin anew; when it ends then. */
export async function renew(
  ctx: Ctx,
  { id, status, attempt }: Pick<TaskRow, "id" | "status" | "attempt">,
): Promise<string> {
  const { space_id, principal_id: worker_id } = ctx.actor;
  const lease_until = leaseEnd(ctx);
  if (await store.renewLease(ctx.database, { space_id, id, attempt, worker_id, lease_until })) return lease_until;
  throw lost({ id, status });
}

/** They look at the caller's task themselves. */
const OWN = ["get_next_task", "task_complete", "task_fail", "task_heartbeat"];

/** A worker that calls whatever tool is there: the task that it has stays its own. A lease that has hardly begun is left alone. */
export async function keep(ctx: Ctx, tool: string): Promise<void> {
  if (!has(ctx.actor, "worker") || OWN.includes(tool)) return;
  const { space_id, principal_id: worker_id } = ctx.actor;
  const active = await store.findActive(ctx.db, { space_id, worker_id });
  const half = ctx.now() + ctx.config.task_lease_seconds * 500;
  // By the time of this it may be another's: then the tool that is called next says so.
  if (active?.lease_until && Date.parse(active.lease_until) < half)
    await store.renewLease(ctx.database, {
      space_id,
      id: active.id,
      attempt: active.attempt,
      worker_id,
      lease_until: leaseEnd(ctx),
    });
}

export const leaseEnd = (ctx: Ctx): string => isoAt(ctx.now() + ctx.config.task_lease_seconds * 1000);

/** Refuses all but who has the task now, in this attempt. */
export function checkLease(ctx: Ctx, row: TaskRow, attempt: number | undefined): void {
  const own = row.status === "processing" && row.worker_id === ctx.actor.principal_id;
  if (!own || (attempt !== undefined && attempt !== row.attempt)) throw lost(row);
}

const OVER: readonly string[] = ["done", "cancelled", "dead"] satisfies TaskRow["status"][];

function lost({ id, status }: Pick<TaskRow, "id" | "status">): ParleyError {
  const why = OVER.includes(status)
    ? `is '${status}' already, and nobody works on it.`
    : "is not yours, or no longer: its lease ran out or somebody else has it.";
  return new ParleyError("LEASE_LOST", `Task ${formatId(id)} ${why} Drop it and get another with get_next_task.`);
}
