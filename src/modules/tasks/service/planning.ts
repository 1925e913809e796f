import type { TxCtx } from "../../../context.ts";
import { planBy } from "../../../due/index.ts";
import type { TaskRow } from "../tables.ts";
import { SWEEP, UNMET } from "./due-kinds.ts";
import { needsOf } from "./wire.ts";

/** A worker may come soon: only then people are told. */
const PATIENCE_MS = 60_000;

/** One row a space, at the earliest end of a lease or of a delay. */
export const planSweep = (ctx: TxCtx, at: string): Promise<void> =>
  planBy(ctx, { kind: SWEEP, ref: 0, at: Date.parse(at) });

/** Has it looked at whether somebody offers what this task needs. */
export async function checkNeeds(ctx: TxCtx, { lane }: Pick<TaskRow, "lane">): Promise<void> {
  if (needsOf(lane).length > 0) await planBy(ctx, { kind: UNMET, ref: 0, at: ctx.now() + PATIENCE_MS });
}
