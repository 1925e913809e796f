import type { TxCtx } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { plan } from "../../../due/index.ts";
import type { DueHandler } from "../../../module.ts";
import { PURGE_SLICE } from "../../../retention.ts";
import * as store from "../store.ts";

const FORGET = "token.forget";
const DAY_MS = 24 * 3600 * 1000;
/** So long a token that has ended is shown as such. */
const KEPT_MS = 30 * DAY_MS;

/**
 * Every start of a session and every sign-in makes a token: those that ended are forgotten in time. One that somebody
 * made by hand stays, as does what it was revoked for.
 */
export const planForgetting = (ctx: TxCtx): Promise<void> =>
  plan(ctx, { kind: FORGET, ref: 0, at: ctx.now() + DAY_MS, space_id: HUB_SPACE });

/** In a transaction of the hub's own space. */
export const forgettingDue: Record<string, DueHandler> = {
  [FORGET]: async (ctx, { ref }) => {
    const before = new Date(ctx.now() - KEPT_MS).toISOString();
    const is_through = (await store.deleteEndedTokens(ctx.tx, { before, limit: PURGE_SLICE })) < PURGE_SLICE;
    if (!is_through) await plan(ctx, { kind: FORGET, ref, at: ctx.now() });
    else if (await store.hasEndingTokens(ctx.tx)) await plan(ctx, { kind: FORGET, ref, at: ctx.now() + DAY_MS });
  },
};
