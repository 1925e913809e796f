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

/** Without a `ref`, whatever is planned of that kind. */
export async function unplan(ctx: TxCtx, { kind, ref }: { kind: string; ref?: number }): Promise<void> {
  if (ref === undefined) await store.deleteDueOfKind(ctx.tx, kind);
  else await store.deleteDue(ctx.tx, { kind, ref });
}
