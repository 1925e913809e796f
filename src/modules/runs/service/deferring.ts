/** Runs whose client has put a call off: no process lives until it is decided, and then the run goes on, once. */
import type { TxCtx } from "../../../context.ts";
import type { Consumer, FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import { findApproval, withdrawOpen } from "../../approvals/index.ts";
import { giveBackOfRun } from "../../tasks/index.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { runEnded, runRequeued } from "./events.ts";
import { isoNow } from "./wire.ts";

/** What a run is after its client has put a call off: waiting, or about to go on where that was decided meanwhile. */
export async function deferred(ctx: TxCtx, row: RunRow, approval_id: number): Promise<RunRow> {
  const { state, outcome, decided_by, reason } = await findApproval(ctx, { id: formatId(approval_id) });
  const queued = { ...row, approval_id, state: "queued", not_before: isoNow(ctx), error: null } as const;
  if (state === "pending") return { ...queued, waits_for: "approval" };
  if (outcome !== "user_deny_abort") return { ...queued, waits_for: null };
  // Nothing is started only to be told that it is over.
  const error = `${decided_by} denied its call, which ends it${reason ? `: ${reason}` : "."}`;
  const stopped = { stop_requested_at: row.stop_requested_at ?? isoNow(ctx), stop_requested_by: decided_by };
  return { ...row, ...stopped, ...GONE_ON, state: "stopped", waits_for: null, ended_at: isoNow(ctx), error };
}

/** Nothing is put off, or what was is settled. */
export const GONE_ON = { approval_id: null, permitted_in: null } as const;

/** It will not go on: nobody needs to decide, and what it had taken is for the next. */
export async function letGo(ctx: TxCtx, { id, kind, approval_id }: RunRow, error: string): Promise<void> {
  if (approval_id !== null) await withdrawOpen(ctx, approval_id);
  if (kind === "worker") await giveBackOfRun(ctx, id, { error: `Run ${formatId(id)} had it: ${error}`, is_free: true });
}

async function resumeDecided(ctx: TxCtx, { ref }: FeedEvent): Promise<void> {
  const row = await store.findForApproval(ctx.tx, ref);
  if (!row) return;
  const next = await deferred(ctx, row, ref);
  await store.saveRun(ctx.tx, next);
  if (next.state === "queued") return void (await runRequeued.tell(ctx, next, { not_before: next.not_before }));
  await letGo(ctx, row, "It was stopped.");
  await runEnded.tell(ctx, next, { outcome: "stopped", error: next.error });
}

export const deferrals: Record<string, Consumer> = {
  "runs.approvals": { topic: "approvals", types: ["approval.decided"], run: resumeDecided },
};
