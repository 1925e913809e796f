import type { TxCtx } from "../../../context.ts";
import * as store from "../store.ts";
import type { AwaitRow, TaskRow } from "../tables.ts";
import { isoNow } from "./wire.ts";

interface Waiter {
  waiter_id: string;
  waiter: string;
  trigger_name?: string;
  session_key?: string | undefined;
}

/** Whose session it is that waits, where a trigger has one only. */
const DEFAULT_SESSION = "_default";

/** Somebody waits for the task from now on. Waiting already, they go on. */
export async function register(ctx: TxCtx, task: TaskRow, waiter: Waiter): Promise<void> {
  const { trigger_name, session_key = DEFAULT_SESSION } = waiter;
  const row: AwaitRow = {
    id: ctx.tx.takeId(),
    task_id: task.id,
    waiter_id: waiter.waiter_id,
    waiter: waiter.waiter,
    trigger_name: trigger_name ?? null,
    session_key: trigger_name === undefined ? null : session_key,
    registered_at: isoNow(ctx),
    ...{
      status: null,
      attempt: null,
      ended_at: null,
      offered_at: null,
      offered_by: null,
      offers: 0,
      consumed_at: null,
    },
  };
  await store.insertAwait(ctx.tx, row);
}
