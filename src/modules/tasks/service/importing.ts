import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { ensureTrigger, PrincipalName, triggerNamed } from "../../identity/index.ts";
import type { ImportedTask, ImportedTasks, ImportTasks } from "../schema.ts";
import * as store from "../store.ts";
import { admitted } from "./admitting.ts";
import { register } from "./awaiting.ts";
import { checkSize, rowOf } from "./creating.ts";
import { taskCreated } from "./events.ts";

const DAY_MS = 86_400_000;

/** Tasks of another queue, with the times they had there: all of them or none, and each once. */
export function importTasks(ctx: Ctx, { tasks }: ImportTasks): Promise<ImportedTasks> {
  for (const { content } of tasks) checkSize(content);
  return transact(ctx, async (ctx) => {
    const taken: ImportedTasks["tasks"] = [];
    for (const task of tasks) {
      const { source_key } = task;
      const known = await store.findImported(ctx.tx, source_key);
      const id = known ?? (await take(ctx, task));
      const [is_known, expired] = [known !== undefined, isPastRetention(ctx, task)];
      taken.push({ source_key, task_id: formatId(id), known: is_known, expired });
    }
    return { tasks: taken };
  });
}

async function take(ctx: TxCtx, task: ImportedTask): Promise<number> {
  const { source_key, status, channel, sender, content, created_at, response_summary, processed_at, awaits } = task;
  const trigger = sender === null ? undefined : triggerIn(sender);
  const sender_id = trigger === undefined ? ctx.actor.principal_id : (await ensureTrigger(ctx, trigger)).id;
  const fresh = { ...rowOf(ctx, { content, channel, sender, sender_id }), created_at };
  const row = status === "pending" ? await admitted(ctx, fresh) : { ...fresh, status, response_summary, processed_at };
  await store.insertTask(ctx.tx, row);
  await store.insertImported(ctx.tx, { source_key, task_id: row.id });
  if (status !== "pending") {
    // Long over: nobody is told of it, it is only there to be looked at.
    store.countEnded(ctx.tx, { status, channel, tasks: 1 });
    return row.id;
  }
  await taskCreated.tell(ctx, row, {});
  for (const waiter of awaits)
    await register(ctx, row, { ...waiter, waiter_id: sender_id, waiter: `trigger:${waiter.trigger_name}` });
  return row.id;
}

/** The trigger that has sent it, whose own it is here as well. */
const triggerIn = (sender: string): string | undefined =>
  PrincipalName.safeParse(sender).success ? triggerNamed(sender) : undefined;

/** It has been over for longer than tasks are kept. */
const isPastRetention = (ctx: Ctx, { processed_at }: ImportedTask): boolean =>
  processed_at !== null &&
  ctx.config.task_days > 0 &&
  Date.parse(processed_at) < ctx.now() - ctx.config.task_days * DAY_MS;
