/** A quota that a turn meets holds its account for everybody until it is over. The turn stays, and goes on by itself. */
import type { Ctx, TxCtx } from "../../../context.ts";
import { parseId } from "../../../ids.ts";
import { DEFAULT_ACCOUNT, holdAccount, quotaEnd } from "../../tasks/index.ts";
import type { ThrottleRuntime } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow } from "../tables.ts";
import { tellChange } from "./events.ts";
import { asRuntime } from "./fencing.ts";
import { log } from "./logging.ts";
import { type Held, openTurn } from "./turns.ts";
import { isoAt, isoNow } from "./wire.ts";

/** No principal has this name. */
const QUOTA = "the quota";
/** Longer than this no quota lasts. */
const LONGEST_MS = 24 * 3_600_000;

const accountOf = ({ account }: RuntimeRow): string => account ?? DEFAULT_ACCOUNT;

/** Null where people have such words ignored: then the turn has failed. */
export const throttle = (
  ctx: Ctx,
  { turn_id, until, error, ...whose }: ThrottleRuntime,
): Promise<{ throttled_until: string | null }> =>
  asRuntime(ctx, whose, async (ctx, held) => {
    const { id } = await openTurn(ctx, held, parseId(turn_id));
    const account = accountOf(held.row);
    await holdAccount(ctx, account, isoAt(Math.min(Date.parse(until), ctx.now() + LONGEST_MS)));
    const throttled_until = await quotaEnd(ctx, account);
    if (throttled_until === undefined) return { throttled_until: null };
    const text = `The quota of the account ${account} is used up: ${error} It goes on at ${throttled_until}.`;
    await log(ctx, held.agent, [{ type: "Notice", key: `quota:${ctx.tx.takeId()}`, turn_id: id, text }]);
    await pauseOverQuota(ctx, held);
    return { throttled_until };
  });

/** Whose account is held asks its model nothing until that is over. */
export async function pauseOverQuota(ctx: TxCtx, { agent, row }: Held): Promise<void> {
  if (row.paused_at !== null || (await quotaEnd(ctx, accountOf(row))) === undefined) return;
  Object.assign(row, { paused_at: isoNow(ctx), paused_by: QUOTA });
  await tellChange(ctx, agent, "paused");
}

/** A quota is over, or a person has ended the wait for it. */
export async function resumeAfterQuota(ctx: TxCtx): Promise<void> {
  const where = { space_id: ctx.tx.space_id, paused_by: QUOTA };
  for (const { name, ...row } of await store.listPausedBy(ctx.tx, where)) {
    if ((await quotaEnd(ctx, accountOf(row))) !== undefined) continue;
    await store.saveRuntime(ctx.tx, { ...row, paused_at: null, paused_by: null });
    await tellChange(ctx, { name, principal_id: row.principal_id }, "resumed");
  }
}
