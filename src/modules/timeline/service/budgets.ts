/** What turns cost counts for the budgets of their agent and of the space. One that is used up pauses the agent. */
import type { TxCtx } from "../../../context.ts";
import { charge, isOverCost } from "../../tasks/index.ts";
import * as store from "../store.ts";
import { tellChange } from "./events.ts";
import type { Held } from "./turns.ts";
import { isoNow } from "./wire.ts";

/** No principal has this name. */
const BUDGET = "the budget";

/** Whoever uses a budget up has people asked, by the budget itself. */
export async function chargeTurn(ctx: TxCtx, held: Held, cost_usd: number): Promise<void> {
  if (cost_usd > 0) await charge(ctx, { agent: held.agent.name, cost_usd });
  await pauseOverBudget(ctx, held);
}

export async function pauseOverBudget(ctx: TxCtx, { agent, row }: Held): Promise<void> {
  if (row.paused_at !== null || !(await isOverCost(ctx, { agent: agent.name }))) return;
  Object.assign(row, { paused_at: isoNow(ctx), paused_by: BUDGET });
  await tellChange(ctx, agent, "runtime.paused");
}

/** There may be more spent: a person has allowed it, or a new day has begun. */
export async function resumeWithinBudget(ctx: TxCtx): Promise<void> {
  const where = { space_id: ctx.tx.space_id, paused_by: BUDGET };
  for (const { name, ...row } of await store.listPausedBy(ctx.tx, where)) {
    const agent = { name, principal_id: row.principal_id };
    if (await isOverCost(ctx, { agent: name })) continue;
    await store.saveRuntime(ctx.tx, { ...row, paused_at: null, paused_by: null });
    await tellChange(ctx, agent, "runtime.resumed");
  }
}
