/** Tasks of the plan that workers do: made of what is handed over, and followed there until they end. */
import type { TxCtx } from "../../../context.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import { finishQueued, noteQueued, planBrief, startQueued } from "../../workspace/index.ts";
import type { TaskRow } from "../tables.ts";
import { create } from "./creating.ts";

const CHANNEL = "plan";

/** Made in the name of who handed it over. While one lives that was made of the same task, it is that one. */
export async function queuePlanned(ctx: TxCtx, { ref: plan_task_id }: FeedEvent): Promise<void> {
  const brief = await planBrief(ctx, plan_task_id);
  if (!brief) return;
  const { description: content, sender, sender_id } = brief;
  const dedup_key = `plan:${plan_task_id}`;
  const { id } = await create(ctx, { content, sender, sender_id, channel: CHANNEL, dedup_key, plan_task_id });
  await noteQueued(ctx, { plan_task_id, queue_task_id: parseId(id) });
}

export async function startPlanned(ctx: TxCtx, { id, plan_task_id }: TaskRow): Promise<void> {
  if (plan_task_id !== null) await startQueued(ctx, { plan_task_id, queue_task_id: id });
}

export async function endPlanned(ctx: TxCtx, row: TaskRow): Promise<void> {
  const { id, plan_task_id, status, response_summary, error } = row;
  if (plan_task_id === null) return;
  const summary = response_summary ?? error;
  await finishQueued(ctx, { plan_task_id, queue_task_id: id, ok: status === "done", summary });
}
