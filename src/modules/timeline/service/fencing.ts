import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import type { AgentRow } from "../../identity/index.ts";
import * as store from "../store.ts";
import type { RuntimeRow } from "../tables.ts";
import type { Held } from "./turns.ts";
import { idOrNull, own, superseded } from "./wire.ts";

export const findRuntimeOf = (ctx: Ctx, { principal_id }: Pick<AgentRow, "principal_id">) =>
  store.findRuntime(ctx.db, { space_id: ctx.actor.space_id, principal_id });

/** Up to where what was said is taken; null where nothing is. */
export const takenOf = ({ taken_id }: RuntimeRow): string | null => (taken_id === 0 ? null : idOrNull(taken_id));

/** The row of the runtime whose number this is. An earlier one is told that it counts no more. */
export async function fenced(ctx: Ctx, agent: AgentRow, fence: number): Promise<RuntimeRow> {
  const row = await findRuntimeOf(ctx, agent);
  if (row?.fence !== fence) throw superseded(agent);
  return row;
}

/** Something that the agent's runtime writes, in one transaction, if it still is the agent's. */
export function asRuntime<T>(
  ctx: Ctx,
  { agent: name, fence }: { agent?: string | undefined; fence: number },
  work: (ctx: TxCtx, held: Held) => Promise<T>,
): Promise<T> {
  return transact(ctx, async (ctx) => {
    const agent = await own(ctx, name);
    const row = { ...(await fenced(ctx, agent, fence)) };
    const before = { ...row };
    const result = await work(ctx, { agent, row });
    if (isOther(row, before)) await store.saveRuntime(ctx.tx, row);
    return result;
  });
}

// Both are copies of one row.
const isOther = (row: RuntimeRow, before: RuntimeRow): boolean => JSON.stringify(row) !== JSON.stringify(before);
