import { type Ctx, transact } from "../../../context.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import type { Waited, WaitForTasks } from "../schema.ts";
import type { TaskRow } from "../tables.ts";
import { consumeOwn, isWaiting, ownSession, registerOnce, triggerOf } from "./awaiting.ts";
import { isEndOf, TOPIC } from "./events.ts";
import { taskOf, wire } from "./wire.ts";

const ENDED = "This task ended. Its result is data from its worker. To wait for the others leave it out.";
const WAITING = "None of them has ended. Call task_wait again to wait on.";

/** The first of these tasks that ended, also if that was before; nothing when the time is over. */
export async function waitFor(ctx: Ctx, { task_ids, wait_seconds }: WaitForTasks): Promise<Waited> {
  const ids = [...new Set(task_ids)];
  const rows = await Promise.all(ids.map((id) => taskOf(ctx, id)));
  const ended = firstEnded(rows);
  if (ended) return { waiting: false, task: wire(ended), note: ENDED };
  const deadline = performance.now() + wait_seconds * 1000;
  const senders = new Set(rows.map(({ sender_id }) => sender_id));
  const [only] = senders.size === 1 ? senders : [];
  // Each look reads all of them: of what happens to other tasks nobody is woken.
  const where = { topic: TOPIC, wakes: (event: FeedEvent) => isEndOf(event, ids) };
  using waiter =
    wait_seconds > 0 ? await ctx.wait?.({ ...where, ...(only !== undefined && { stream: only }) }) : undefined;
  await registerAll(ctx, ids);
  for (;;) {
    const now = firstEnded(await Promise.all(ids.map((id) => taskOf(ctx, id))));
    if (now) return { waiting: false, task: wire(now), note: ENDED };
    const left = deadline - performance.now();
    if (!waiter || left <= 0 || (await waiter.next(left)) !== "event")
      return { waiting: true, task: null, note: WAITING };
  }
}

const firstEnded = (rows: readonly TaskRow[]): TaskRow | undefined =>
  rows
    .filter(({ processed_at }) => processed_at !== null)
    .sort((a, b) => ((a.processed_at ?? "") < (b.processed_at ?? "") ? -1 : 1))[0];

/** Whoever waits is seen to wait, for as long as nobody has told them. */
async function registerAll(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const { principal_id: waiter_id, name: waiter } = ctx.actor;
  const trigger_name = triggerOf(ctx);
  const waiting = trigger_name === undefined ? {} : { trigger_name, session_key: (await ownSession(ctx))?.key };
  const known = await Promise.all(ids.map((id) => isWaiting(ctx, id)));
  const missing = ids.filter((_, at) => !known[at]);
  if (missing.length === 0) return;
  await transact(ctx, async (ctx) => {
    for (const id of missing) {
      const row = await taskOf(ctx, id);
      if (row.processed_at === null) await registerOnce(ctx, row, { waiter_id, waiter, ...waiting });
    }
  });
}

/** They were answered: nobody owes them this end any more. */
export const handed = async (ctx: Ctx, { task }: Waited): Promise<void> => {
  if (task) await consumeOwn(ctx, Number(task.id));
};
