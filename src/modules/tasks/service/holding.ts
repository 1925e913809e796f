import type { Ctx } from "../../../context.ts";
import type { Hold } from "../schema.ts";
import * as store from "../store.ts";
import { isExhausted } from "./budgeting.ts";
import { accountOf, isoAt, isoNow, needsOf } from "./wire.ts";

/** A worker that was not seen for so long offers nothing. */
const SEEN_MS = 10 * 60_000;

interface Blocks {
  budgets: readonly store.BudgetRow[];
  throttles: readonly store.ThrottleRow[];
}

export async function listBlocks(ctx: Ctx): Promise<Blocks> {
  const { space_id } = ctx.actor;
  const [budgets, throttles] = await Promise.all([
    store.listBudgets(ctx.db, space_id),
    store.listThrottles(ctx.db, space_id),
  ]);
  return { budgets, throttles };
}

/** Why nothing of an account is given to anybody just now. */
export function accountHold(ctx: Ctx, { budgets, throttles }: Blocks, account: string): Hold | null {
  const spent = budgets.some(
    (budget) =>
      (budget.scope === "space" || (budget.scope === "account" && budget.name === account)) && isExhausted(ctx, budget),
  );
  if (spent) return "budget";
  const now = isoNow(ctx);
  const isThrottled = throttles.some(
    (one) => one.account === account && one.ignored_at === null && one.throttled_until > now,
  );
  return isThrottled ? "quota" : null;
}

/** Why nobody is given tasks of a lane, as things are now; null where somebody could be. */
export async function laneHolds(ctx: Ctx): Promise<(lane: string) => Hold | null> {
  const { space_id } = ctx.actor;
  const seen_after = isoAt(ctx.now() - SEEN_MS);
  const [blocks, workers] = await Promise.all([listBlocks(ctx), store.listOffers(ctx.db, { space_id, seen_after })]);
  return (lane) => {
    const held = accountHold(ctx, blocks, accountOf(lane));
    if (held !== null) return held;
    const needs = needsOf(lane);
    const met = needs.length === 0 || workers.some((offers) => needs.every((need) => offers.includes(need)));
    return met ? null : "needs";
  };
}
