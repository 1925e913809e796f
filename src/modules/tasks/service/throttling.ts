import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { parseTime } from "../../../times.ts";
import type { SetThrottle, Throttle } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { giveUp, noteAttempt, putBack } from "./ending.ts";
import { tellThrottled, tellUnthrottled } from "./events.ts";
import { planSweep } from "./planning.ts";
import { isoAt, isoNow } from "./wire.ts";

/** Longer than this nobody's quota lasts: a worker that says so is wrong. */
const LONGEST_MS = 7 * 86_400_000;
/** So often one task may meet a quota, or be given back, for nothing. From then on it costs attempts: perhaps it is the task. */
export const MOST_REFUNDS = 50;

/** The worker met a quota: the task goes back for nothing, and all tasks of the account wait until then. */
export async function throttle(
  ctx: TxCtx,
  row: TaskRow,
  { error, throttled_until }: { error: string; throttled_until: string },
): Promise<TaskRow> {
  const until = Math.min(parseTime(ctx, throttled_until, { what: "throttled_until" }), ctx.now() + LONGEST_MS);
  const { account, refunded } = row;
  const known = await find(ctx, account);
  if (known?.ignored_at != null || refunded >= MOST_REFUNDS) return giveUp(ctx, row, { outcome: "failed", error });
  await holdAccount(ctx, account, isoAt(until));
  await noteAttempt(ctx, row, { outcome: "throttled", error });
  return putBack(ctx, { ...row, refunded: refunded + 1 }, { error, at: null });
}

/** A program that uses the account met its quota: all that uses it waits until then, unless people have such words ignored. */
export async function holdAccount(ctx: TxCtx, account: string, throttled_until: string): Promise<void> {
  const known = await find(ctx, account);
  if (known?.ignored_at != null || (known?.throttled_until ?? "") >= throttled_until) return;
  await save(ctx, { account, throttled_until, ignored_at: null });
}

/** Until when the quota of an account is used up; undefined where it is not, as far as is known. */
export async function quotaEnd(ctx: Ctx, account: string): Promise<string | undefined> {
  const known = await find(ctx, account);
  return known && known.ignored_at === null && known.throttled_until > isoNow(ctx) ? known.throttled_until : undefined;
}

const find = async (ctx: Ctx, account: string): Promise<store.ThrottleRow | undefined> =>
  (await store.listThrottles(ctx.db, ctx.actor.space_id)).find((one) => one.account === account);

/** A person ends a throttle, sets one, or has what workers say of quotas ignored. */
export function setThrottle(ctx: Ctx, { account, until, off }: SetThrottle): Promise<Throttle> {
  return transact(ctx, async (ctx) => {
    const at = until === undefined ? ctx.now() : parseTime(ctx, until, { what: "until" });
    const throttled_until = isoAt(Math.min(at, ctx.now() + LONGEST_MS));
    const ignored_at = off ? isoNow(ctx) : null;
    await save(ctx, { account, throttled_until, ignored_at });
    return { account, throttled_until: at > ctx.now() && !off ? throttled_until : null, off };
  });
}

async function save(
  ctx: TxCtx,
  throttle: { account: string; throttled_until: string; ignored_at: string | null },
): Promise<void> {
  const { account, throttled_until } = throttle;
  await store.saveThrottle(ctx.tx, { ...throttle, reported_by: ctx.actor.name, reported_at: isoNow(ctx) });
  await tellThrottled(ctx, { account, throttled_until });
  await planSweep(ctx, throttled_until);
}

/** Those whose time is over are no more; whoever waits for work is told. */
export async function endThrottles(ctx: TxCtx): Promise<void> {
  const over = (await store.listThrottles(ctx.tx, ctx.tx.space_id)).filter(
    ({ throttled_until, ignored_at }) => throttled_until <= isoNow(ctx) && ignored_at === null,
  );
  for (const { account } of over) {
    await store.deleteThrottle(ctx.tx, account);
    await tellUnthrottled(ctx, account);
  }
}
