import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import type { ImportedTask, ImportedTasks, ImportTasks } from "../schema.ts";
import * as store from "../store.ts";
import { admitted } from "./admitting.ts";
import { register } from "./awaiting.ts";
import { checkSize, rowOf } from "./creating.ts";
import { tell } from "./events.ts";

/** Tasks of another queue, with the times they had there: all of them or none, and each once. */
export function importTasks(ctx: Ctx, { tasks }: ImportTasks): Promise<ImportedTasks> {
  for (const { content } of tasks) checkSize(content);
  return transact(ctx, async (ctx) => {
    const taken: ImportedTasks["tasks"] = [];
    for (const task of tasks) {
      const { source_key } = task;
      const known = await store.findImported(ctx.tx, source_key);
      const id = known ?? (await take(ctx, task));
      taken.push({ source_key, task_id: formatId(id), known: known !== undefined });
    }
    return { tasks: taken };
  });
}

async function take(ctx: TxCtx, task: ImportedTask): Promise<number> {
  const { source_key, status, channel, sender, content, created_at, response_summary, processed_at, awaits } = task;
  const { principal_id: sender_id } = ctx.actor;
  const fresh = { ...rowOf(ctx, { content, channel, sender, sender_id }), created_at };
  const row = status === "pending" ? await admitted(ctx, fresh) : { ...fresh, status, response_summary, processed_at };
  await store.insertTask(ctx.tx, row);
  await store.insertImported(ctx.tx, { source_key, task_id: row.id });
  if (status !== "pending") {
    // Long over: nobody is told of it, it is only there to be looked at.
    store.countEnded(ctx.tx, { status, channel, tasks: 1 });
    return row.id;
  }
  await tell(ctx, row, "created");
  for (const waiter of awaits)
    await register(ctx, row, { ...waiter, waiter_id: sender_id, waiter: `trigger:${waiter.trigger_name}` });
  return row.id;
}
