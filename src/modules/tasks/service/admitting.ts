import type { TxCtx } from "../../../context.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { tell } from "./events.ts";
import { checkNeeds } from "./planning.ts";
import { isoNow } from "./wire.ts";

/** As it waits: for its time, for a place under its key, or for a worker. */
export async function admitted(ctx: TxCtx, row: TaskRow): Promise<TaskRow> {
  const { run_at, concurrency_key, concurrency_limit } = row;
  if (run_at !== null && run_at > isoNow(ctx)) return { ...row, held_for: "delay", slot: null };
  if (concurrency_key === null) return { ...row, held_for: null, slot: null };
  const taken = await store.countSlots(ctx.tx, concurrency_key);
  return taken >= (concurrency_limit ?? 1)
    ? { ...row, held_for: "concurrency", slot: null }
    : { ...row, held_for: null, slot: 1 };
}

/**
 * Reads what creating a task with that key reads, for whoever writes before: on PostgreSQL all that the operations of a
 * batch read before they write is one wait, and what they read behind that is one each.
 */
export const foresee = (ctx: TxCtx, concurrency_key: string): Promise<number> =>
  store.countSlots(ctx.tx, concurrency_key);

/** It may be claimed from now on, or waits for something else now. */
export async function release(ctx: TxCtx, row: TaskRow): Promise<void> {
  await store.saveWaiting(ctx.tx, row);
  await tell(ctx, row, "released");
  await checkNeeds(ctx, row);
}

/** A task that had a place under its key has it no longer: who waits for one gets it. */
export async function freeSlot(ctx: TxCtx, { concurrency_key, slot }: TaskRow): Promise<void> {
  if (concurrency_key === null || slot !== 1) return;
  for (;;) {
    const behind = await store.findBehind(ctx.tx, concurrency_key);
    if (!behind) return;
    const row = await admitted(ctx, behind);
    if (row.held_for !== null) return;
    await release(ctx, row);
  }
}
