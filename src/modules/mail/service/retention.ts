import type { Config } from "../../../config.ts";
import type { TxCtx } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { because } from "../../../feed/index.ts";
import type { DueHandler } from "../../../module.ts";
import { retention } from "../../../retention.ts";
import * as store from "../store.ts";
import { DEADLINE, PURGE, SNOOZE, TRAILS, TRASH } from "./due-kinds.ts";
import { tellWoken } from "./events.ts";
import { raiseOverdue } from "./overdue.ts";
import { STOPPED_AT } from "./trails.ts";

const MINUTE_MS = 60 * 1000;

const mails = retention({
  kind: PURGE,
  days: ({ mail_days }) => mail_days,
  oldest: ({ tx }) => store.findOldest(tx, tx.space_id),
  // The oldest may be one that is kept for now.
  remove: async ({ tx }, { before_id, limit }) =>
    (await store.deleteOldest(tx, { before_id, deadline: DEADLINE, limit })) < limit,
});

/** Since the last mail of each. Who was stopped stays so. */
const trails = retention({
  kind: TRAILS,
  days: () => 1,
  oldest: async ({ tx }) => {
    const last_at = await store.findQuietest(tx, STOPPED_AT);
    return last_at === undefined ? null : Date.parse(last_at) * 1000;
  },
  remove: async ({ tx }, { before_id, limit }) => {
    const before = new Date(before_id / 1000).toISOString();
    await store.deleteQuietTrails(tx, { before, stopped: STOPPED_AT, limit });
    return false;
  },
});

/** Has what is old removed from the transaction's space, within the hour. */
export async function planRetention(ctx: TxCtx, config: Config): Promise<void> {
  await trails.plan(ctx, config);
  await mails.plan(ctx, config);
}

/** What happens to mail by itself. */
export const mailDue: Record<string, DueHandler> = {
  [SNOOZE]: (ctx, { ref }) => wake(ctx, ref),
  [DEADLINE]: (ctx, { ref }) => raiseOverdue(because(ctx, ref), ref),
  [TRASH]: (ctx, { ref }) => purgeTrashed(ctx, ref),
  ...mails.due,
  ...trails.due,
};

/** Not before its deadline was handled, which is the later one where the hub was down for long. */
async function purgeTrashed(ctx: TxCtx, id: number): Promise<void> {
  const deadline = await store.findTrashedDeadline(ctx.tx, { id, kind: DEADLINE });
  if (deadline === undefined) await store.deleteTrashed(ctx.tx, id);
  else await plan(ctx, { kind: TRASH, ref: id, at: Math.max(Date.parse(deadline), ctx.now() + MINUTE_MS) });
}

/** The mail is in the inbox again, at its top and as new. One that was snoozed anew is not the one that was meant. */
async function wake(ctx: TxCtx, snooze_id: number): Promise<void> {
  const copy = await store.findSnoozed(ctx.tx, snooze_id);
  if (!copy) return;
  const { mail_id, principal_id, name } = copy;
  const mail = await store.findSeen(ctx.tx, { space_id: ctx.tx.space_id, principal_id, id: mail_id });
  if (!mail) return;
  const position = ctx.tx.takeId();
  await store.updateCopy(ctx.tx, {
    ...copy,
    position,
    read_at: null,
    snoozed_until: null,
    snooze_id: null,
    offered: 0,
  });
  await tellWoken(because(ctx, mail_id), { id: position, principal_id, name }, { ...mail, mail_id, from: mail.sender });
}
