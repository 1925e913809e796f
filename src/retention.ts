/** What is kept for so many days and then removed by itself, space by space and in slices. */
import type { Config } from "./config.ts";
import type { TxCtx } from "./context.ts";
import { plan, unplan } from "./due/index.ts";
import type { DueHandler } from "./module.ts";

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** As many rows as one transaction removes: what is written meanwhile waits for it. */
const PURGE_SLICE = 2000;

interface Retained {
  /** Of its row in `due`. */
  kind: string;
  /** 0 keeps it for ever. */
  days: (config: Config) => number;
  /** The id of the oldest there is, or the time its days begin at in microseconds, as ids are. Null where there is none. */
  oldest: (ctx: TxCtx) => Promise<number | null>;
  /**
   * Removes at most so many of those that are older. Gives whether what is left of them stays for now: then it is not due
   * at once over and over.
   */
  remove: (ctx: TxCtx, old: Old) => Promise<boolean>;
  /** Each of its rows plans it: where there is none, nothing is planned. */
  planned_by_rows?: true;
}

interface Old {
  before_id: number;
  limit: number;
  config: Config;
}

interface Retention {
  /** Within the hour after the oldest is too old. */
  plan: (ctx: TxCtx, config: Config) => Promise<void>;
  due: Record<string, DueHandler>;
}

export function retention({ kind, days: daysIn, oldest, remove, planned_by_rows }: Retained): Retention {
  const planFor = async (ctx: TxCtx, days: number, not_before: number): Promise<void> => {
    // Once a space. Earlier versions planned a row for each number of days, which would go on for ever beside it.
    await unplan(ctx, { kind });
    if (days === 0) return;
    const oldest_id = await oldest(ctx);
    if (oldest_id === null && planned_by_rows) return;
    await plan(ctx, { kind, ref: 0, at: Math.max(not_before, purgeAt(ctx, { oldest_id, days })) });
  };
  const purge: DueHandler = async (ctx, _due, config) => {
    const days = daysIn(config);
    // Kept for ever since it was planned.
    if (days === 0) return;
    const stays = await remove(ctx, { before_id: purgeBefore(ctx, days), limit: PURGE_SLICE, config });
    await planFor(ctx, days, stays ? ctx.now() + HOUR_MS : 0);
  };
  return { plan: (ctx, config) => planFor(ctx, daysIn(config), 0), due: { [kind]: purge } };
}

/**
 * The first full hour at which the oldest is too old, so that all of an hour go together. What
 * a slice left behind is too old already: its hour has passed, and it is due at once.
 */
export function purgeAt(ctx: TxCtx, { oldest_id, days }: { oldest_id: number | null; days: number }): number {
  const from = oldest_id === null ? ctx.now() : Math.floor(oldest_id / 1000);
  // A millisecond later: ids within one are told apart, its time is not.
  return Math.ceil((from + 1 + days * DAY_MS) / HOUR_MS) * HOUR_MS;
}

/** Everything below this id is older than so many days. */
export const purgeBefore = (ctx: TxCtx, days: number): number => (ctx.now() - days * DAY_MS) * 1000;
