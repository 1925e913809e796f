import type { Ctx } from "../../../context.ts";
import type { Hold } from "../schema.ts";
import * as store from "../store.ts";
import { isExhausted } from "./budgeting.ts";
import { accountOf, isoAt, isoNow, needsOf } from "./wire.ts";

/** A worker that was not seen for so long, and has no task, offers nothing. */
export const SEEN_MS = 10 * 60_000;

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

/** The budget that holds an account's tasks back. */
export const spentBudget = (
  ctx: Ctx,
  budgets: readonly store.BudgetRow[],
  account: string,
): store.BudgetRow | undefined =>
  budgets.find(
    (budget) =>
      (budget.scope === "space" || (budget.scope === "account" && budget.name === account)) && isExhausted(ctx, budget),
  );

/** Why nothing of an account is given to anybody just now. */
export function accountHold(ctx: Ctx, { budgets, throttles }: Blocks, account: string): Hold | null {
  if (spentBudget(ctx, budgets, account)) return "budget";
  const now = isoNow(ctx);
  const isThrottled = throttles.some(
    (one) => one.account === account && one.ignored_at === null && one.throttled_until > now,
  );
  return isThrottled ? "quota" : null;
}

/** What each worker offers that is there: it has asked lately, or has a task that is its own still. */
export const listSeenOffers = (ctx: Ctx): Promise<string[][]> => {
  const { space_id } = ctx.actor;
  return store.listOffers(ctx.db, { space_id, seen_after: isoAt(ctx.now() - SEEN_MS), now: isoNow(ctx) });
};

/** Why nobody is given tasks of a lane, as things are now; null where somebody could be. */
export async function laneHolds(ctx: Ctx): Promise<(lane: string) => Hold | null> {
  const [blocks, workers] = await Promise.all([listBlocks(ctx), listSeenOffers(ctx)]);
  return (lane) => {
    const held = accountHold(ctx, blocks, accountOf(lane));
    if (held !== null) return held;
    const needs = needsOf(lane);
    const met = needs.length === 0 || workers.some((offers) => needs.every((need) => offers.includes(need)));
    return met ? null : "needs";
  };
}
