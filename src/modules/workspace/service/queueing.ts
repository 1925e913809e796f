/** A task of the plan that is handed to the queue: told once it is ready, and following what becomes of it there. */
import type { TxCtx } from "../../../context.ts";
import { cut } from "../../../text.ts";
import { MOST_SUMMARY } from "../schema.ts";
import * as store from "../store.ts";
import type { AuthorColumns, PlanTaskRow } from "../tables.ts";
import { blockersOf } from "./blocking.ts";
import { tellQueued } from "./events.ts";
import { saveChange } from "./saving.ts";
import { isoNow } from "./wire.ts";

type Queued = Pick<PlanTaskRow, "queue" | "queued_by" | "queued_by_id">;

/** It is to be done by the queue, in the name of who said so. */
export const wanted = ({ author, author_id }: AuthorColumns): Queued => ({
  queue: "waiting",
  queued_by: author,
  queued_by_id: author_id,
});

/** Hands those of these to the queue that are to be and can be started. */
export async function handReady(ctx: TxCtx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await store.listPlanTasks(ctx.tx, { space_id: ctx.tx.space_id, ids });
  for (const row of rows) {
    if (row.queue !== "waiting" || row.status !== "todo" || (await blockersOf(ctx, row.id)).length > 0) continue;
    await store.updatePlanTask(ctx.tx, { ...row, queue: "told", updated_at: isoNow(ctx) });
    await tellQueued(ctx, row);
  }
}

/** What the queue is to do, and for whom. Undefined where it is not to any more, or was made a task of already. */
export async function planBrief(
  ctx: TxCtx,
  id: number,
): Promise<{ description: string; sender: string; sender_id: string } | undefined> {
  const row = await store.findPlanTask(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (row?.queue !== "told" || row.queued_by === null || row.queued_by_id === null) return undefined;
  return { description: row.description, sender: row.queued_by, sender_id: row.queued_by_id };
}

interface InQueue {
  plan_task_id: number;
  queue_task_id: number;
}

/** The queue has made a task of it. */
export async function noteQueued(ctx: TxCtx, { plan_task_id: id, queue_task_id }: InQueue): Promise<void> {
  const row = await store.findPlanTask(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (row) await saveChange(ctx, row, { queue_task_id });
}

/** A worker has begun it. */
export async function startQueued(ctx: TxCtx, queued: InQueue): Promise<void> {
  const row = await followed(ctx, queued);
  if (row && row.status !== "completed" && row.status !== "in_progress")
    await saveChange(ctx, row, { status: "in_progress", summary: null });
}

/** It has ended there: completed, or blocked with why. What somebody has completed by hand stays so. */
export async function finishQueued(
  ctx: TxCtx,
  { ok, summary, ...queued }: InQueue & { ok: boolean; summary: string | null },
): Promise<void> {
  const row = await followed(ctx, queued);
  if (!row) return;
  const over = { queue: null, queued_by: null, queued_by_id: null };
  if (row.status === "completed") return saveChange(ctx, row, over);
  const shortened = summary === null ? null : cut(summary, MOST_SUMMARY);
  await saveChange(ctx, row, { ...over, status: ok ? "completed" : "blocked", summary: shortened });
  if (ok) await handReady(ctx, await store.listWaitingFor(ctx.tx, row.id));
}

/** Only the task that was last made of it counts: an older one that is tried again has been given up here. */
async function followed(ctx: TxCtx, { plan_task_id: id, queue_task_id }: InQueue): Promise<PlanTaskRow | undefined> {
  const row = await store.findPlanTask(ctx.tx, { space_id: ctx.tx.space_id, id });
  return row?.queue_task_id === queue_task_id ? row : undefined;
}
