import type { Ctx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import type { Hold, HoldReason } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { accountHold, listBlocks, listSeenOffers, spentBudget } from "./holding.ts";
import { accountOf, isoAt, needsOf } from "./wire.ts";

const DAY_MS = 86_400_000;
/** Of those who have the places under a key, so many are named. */
const MOST_NAMED = 3;
const NONE = { until: null, account: null, budget: null, missing: [], key: null, limit: null, tasks: [] };

type Held = Pick<
  TaskRow,
  "status" | "held_for" | "lane" | "account" | "run_at" | "concurrency_key" | "concurrency_limit"
>;

export interface Reasons {
  laneHold: (lane: string) => Hold | null;
  holdOf: (row: Held) => Promise<HoldReason | null>;
}

/** What holds tasks back, as things are now: read once for however many of them. */
export async function holdReasons(ctx: Ctx): Promise<Reasons> {
  const [blocks, offers] = await Promise.all([listBlocks(ctx), listSeenOffers(ctx)]);
  const slots = new Map<string, Promise<string[]>>();
  const missingIn = (lane: string): string[] => {
    const needs = needsOf(lane);
    if (offers.some((offered) => needs.every((need) => offered.includes(need)))) return [];
    const missing = needs.filter((need) => !offers.some((offered) => offered.includes(need)));
    // Each is offered by somebody, all of them by nobody.
    return missing.length > 0 ? missing : needs;
  };
  const laneHold = (lane: string): Hold | null =>
    accountHold(ctx, blocks, accountOf(lane)) ?? (missingIn(lane).length > 0 ? "needs" : null);

  const running = (concurrency_key: string): Promise<string[]> => {
    const { space_id } = ctx.actor;
    const known = slots.get(concurrency_key);
    const read = async (): Promise<string[]> =>
      (await store.listSlotted(ctx.db, { space_id, concurrency_key, limit: MOST_NAMED })).map(formatId);
    const ids = known ?? read();
    slots.set(concurrency_key, ids);
    return ids;
  };

  const holdOf = async (row: Held): Promise<HoldReason | null> => {
    const reason = row.status === "pending" ? (row.held_for ?? laneHold(row.lane)) : null;
    if (reason === null) return null;
    const { account, concurrency_key: key, concurrency_limit: limit } = row;
    if (reason === "delay") return { ...NONE, reason, until: row.run_at };
    if (reason === "concurrency") return { ...NONE, reason, key, limit, tasks: await running(key ?? "") };
    if (reason === "needs") return { ...NONE, reason, missing: missingIn(row.lane) };
    if (reason === "quota") {
      const throttle = blocks.throttles.find((one) => one.account === account);
      return { ...NONE, reason, account, until: throttle?.throttled_until ?? null };
    }
    const spent = spentBudget(ctx, blocks.budgets, account);
    const midnight = isoAt((Math.floor(ctx.now() / DAY_MS) + 1) * DAY_MS);
    return { ...NONE, reason, account, budget: spent?.scope ?? null, until: midnight };
  };
  return { laneHold, holdOf };
}
