import type { TxCtx } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { plan } from "../../../due/index.ts";
import type { Module } from "../../../module.ts";
import { purgeAt, retention } from "../../../retention.ts";
import * as sessions from "../store/sessions.ts";
import * as store from "../store.ts";
import { endTokens } from "./sessions.ts";

const FORGET = "space.forget";
/** So long a space that was emptied still says that it has ended. */
const KEPT_DAYS = 30;
/** Each has people and agents of its own. */
const SLICE = 250;

/**
 * A space that has ended answers so for a month, to those who were let in. Then its row goes, with all that was granted
 * in it, and it is as unknown as one that never was. In the hub's own space: it is about no team any more.
 */
const { due, plan: planInHub } = retention({
  kind: FORGET,
  days: () => KEPT_DAYS,
  oldest: async ({ tx }) => {
    const emptied_at = await store.findFirstEmptied(tx);
    return emptied_at === null ? null : Date.parse(emptied_at) * 1000;
  },
  remove: async (ctx, { before_id }) => {
    const before = new Date(before_id / 1000).toISOString();
    const until = await store.findEndOfSlice(ctx.tx, { before, limit: SLICE });
    if (until !== null) await forget(ctx, until);
    return false;
  },
  planned_by_rows: true,
});

export const forgettingSpacesDue = due;

/** Those that ended under a version that forgot none. */
export const planForgettingSpaces: NonNullable<Module["plan"]> = async (ctx, config) => {
  if (ctx.tx.space_id === HUB_SPACE) await planInHub(ctx, config);
};

/** The transaction's space was emptied. To look for an older one is left to who removes it. */
export const planForgettingSpace = (ctx: TxCtx): Promise<void> =>
  plan(ctx, { kind: FORGET, ref: 0, at: purgeAt(ctx, { oldest_id: null, days: KEPT_DAYS }), space_id: HUB_SPACE });

async function forget(ctx: TxCtx, until: string): Promise<void> {
  // Who is let in nowhere may be taken for one's own agent by anybody: a token of before would then lead in there.
  for (const principal_id of await store.listLeftNowhere(ctx.tx, until))
    await endTokens(ctx, await sessions.listWorkingTokens(ctx.tx, principal_id));
  await store.deleteEmptiedSpaces(ctx.tx, until);
}
