import type { TxCtx } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { plan } from "../../../due/index.ts";
import { purgeAt, retention } from "../../../retention.ts";
import * as store from "../store.ts";

const FORGET = "token.forget";
/** So long a token that has ended is shown as such. */
const KEPT_DAYS = 30;

/**
 * Every start of a session and every sign-in makes a token: those that ended are forgotten in time. One that somebody
 * made by hand stays, as does what it was revoked for, as long as its holder is let in anywhere. In the hub's own space, as
 * all that is told of tokens.
 */
export const forgettingDue = retention({
  kind: FORGET,
  days: () => KEPT_DAYS,
  oldest: async ({ tx }) => {
    const ended_at = await store.findFirstEndOfToken(tx);
    return ended_at === null ? null : Date.parse(ended_at) * 1000;
  },
  remove: async ({ tx }, { before_id, limit }) => {
    await store.deleteEndedTokens(tx, { before: new Date(before_id / 1000).toISOString(), limit });
    return false;
  },
  planned_by_rows: true,
}).due;

/** A token has ended, or will by itself. To look for an older one is left to who removes it. */
export const planForgetting = (ctx: TxCtx): Promise<void> =>
  plan(ctx, { kind: FORGET, ref: 0, at: purgeAt(ctx, { oldest_id: null, days: KEPT_DAYS }), space_id: HUB_SPACE });
