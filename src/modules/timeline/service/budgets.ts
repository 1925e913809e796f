/** What answers cost counts for the budgets of their agent and of the space. One that is used up pauses the agent. */
import type { TxCtx } from "../../../context.ts";
import { charge, isOverCost } from "../../tasks/index.ts";
import type { Used } from "../schema.ts";
import * as store from "../store.ts";
import type { TurnRow } from "../tables.ts";
import { tellChange } from "./events.ts";
import type { Held } from "./turns.ts";
import { dollars, isoNow } from "./wire.ts";

/** No principal has this name. */
const BUDGET = "the budget";

/** In the transaction of the entry that says it, so once. Whoever uses a budget up has people asked, by the budget itself. */
export async function chargeUsed(ctx: TxCtx, { agent }: Held, { cost_usd = 0 }: Used): Promise<void> {
  if (cost_usd > 0) await charge(ctx, { agent: agent.name, cost_usd });
}

type Sums = Pick<TurnRow, "cost_micros" | "input_tokens" | "output_tokens">;

/** What a turn has used with that. Of what nobody has said anything it is not known. */
export const withUsed = (turn: Sums, { cost_usd, input_tokens, output_tokens }: Used): Sums => ({
  // Rounded as it is charged.
  cost_micros: sum(turn.cost_micros, cost_usd === undefined ? undefined : Math.round(cost_usd * 1_000_000)),
  input_tokens: sum(turn.input_tokens, input_tokens),
  output_tokens: sum(turn.output_tokens, output_tokens),
});

const sum = (before: number | null, more: number | undefined): number | null =>
  more === undefined ? before : (before ?? 0) + more;

/** All of it, as the end of a turn says it. */
export const usedIn = ({ cost_micros, input_tokens, output_tokens }: Sums): Used => ({
  cost_usd: dollars(cost_micros) ?? undefined,
  input_tokens: input_tokens ?? undefined,
  output_tokens: output_tokens ?? undefined,
});

export async function pauseOverBudget(ctx: TxCtx, { agent, row }: Held): Promise<void> {
  if (row.paused_at !== null || !(await isOverCost(ctx, { agent: agent.name }))) return;
  Object.assign(row, { paused_at: isoNow(ctx), paused_by: BUDGET });
  await tellChange(ctx, agent, "paused");
}

/** There may be more spent: a person has allowed it, or a new day has begun. */
export async function resumeWithinBudget(ctx: TxCtx): Promise<void> {
  const where = { space_id: ctx.tx.space_id, paused_by: BUDGET };
  for (const { name, ...row } of await store.listPausedBy(ctx.tx, where)) {
    const agent = { name, principal_id: row.principal_id };
    if (await isOverCost(ctx, { agent: name })) continue;
    await store.saveRuntime(ctx.tx, { ...row, paused_at: null, paused_by: null });
    await tellChange(ctx, agent, "resumed");
  }
}
