import type { TxCtx } from "../context.ts";
import type { Due } from "../module.ts";
import * as store from "./store.ts";

/** So often a node looks for what other nodes planned: for what is due later than that nobody has to be woken. */
export const LOOK_AGAIN_MS = 5000;

interface Planned {
  kind: string;
  ref: number;
  at: number;
  /** Anything that JSON holds, for whoever handles it. */
  payload?: unknown;
  /** Another space than the transaction's. */
  space_id?: string;
}

/** Has `kind` handled for `ref` at that time. Planned already, it stays as it is. */
export async function plan(ctx: TxCtx, due: Planned): Promise<void> {
  await store.insertDue(ctx.tx, rowOf(ctx, due));
  wakeFor(ctx, due);
}

/** The same; planned already, it is moved to that time, as if it had never failed. */
export async function move(ctx: TxCtx, due: Planned): Promise<void> {
  await store.saveDue(ctx.tx, rowOf(ctx, due));
  wakeFor(ctx, due);
}

/** The same; planned already, it is moved to that time only if that is earlier. */
export async function planBy(ctx: TxCtx, due: Planned): Promise<void> {
  await store.saveEarlier(ctx.tx, rowOf(ctx, due));
  wakeFor(ctx, due);
}

/** Without a `ref`, whatever is planned of that kind. */
export async function unplan(ctx: TxCtx, { kind, ref }: { kind: string; ref?: number }): Promise<void> {
  if (ref === undefined) await store.deleteDueOfKind(ctx.tx, kind);
  else await store.deleteDue(ctx.tx, { kind, ref });
}

/** Once more, at once, with what it was planned with and with the failures it has. */
export async function replanAsIs(
  ctx: TxCtx,
  { kind, ref, due: { payload, attempt } }: { kind: string; ref: number; due: Due },
): Promise<void> {
  const at = ctx.now();
  await store.saveDue(ctx.tx, { ...rowOf(ctx, { kind, ref, at, payload }), attempt });
  wakeFor(ctx, { kind, at });
}

/** Thrown by a handler that knows more than that it failed: with what the row comes back, and how often that has failed. */
export class DueFailure extends Error {
  override readonly name = "DueFailure";
  readonly payload: unknown;
  readonly attempt: number;

  constructor(payload: unknown, { attempt, error }: { attempt: number; error: unknown }) {
    super(error instanceof Error ? error.message : String(error), { cause: error });
    this.payload = payload;
    this.attempt = attempt;
  }
}

const rowOf = (ctx: TxCtx, { kind, ref, at, payload, space_id = ctx.tx.space_id }: Planned): store.DueRow => ({
  space_id,
  kind,
  ref,
  at: new Date(at).toISOString(),
  payload: payload === undefined ? null : JSON.stringify(payload),
  attempt: 0,
});

function wakeFor(ctx: TxCtx, { kind, at, space_id = ctx.tx.space_id }: Omit<Planned, "ref">): void {
  if (at <= ctx.now() + LOOK_AGAIN_MS) ctx.tx.markPlanned(kind, at, space_id);
}
