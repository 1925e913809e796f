import type { TxCtx } from "../context.ts";
import * as store from "./store.ts";

export { Scheduler } from "./scheduler.ts";

/** Has `kind` handled for `ref` at that time. Planned already, it stays as it is. */
export async function plan(
  ctx: TxCtx,
  due: { kind: string; ref: number; at: number; space_id?: string },
): Promise<void> {
  const { kind, ref, at, space_id = ctx.tx.space_id } = due;
  if (await store.insertDue(ctx.tx, { space_id, kind, ref, at: new Date(at).toISOString() })) ctx.tx.markPlanned();
}

export async function unplan(ctx: TxCtx, due: { kind: string; ref: number }): Promise<void> {
  await store.deleteDue(ctx.tx, due);
}
