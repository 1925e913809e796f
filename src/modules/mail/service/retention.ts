import type { Config } from "../../../config.ts";
import type { TxCtx } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { append, because } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import { PURGE_SLICE, retention } from "../../../retention.ts";
import * as store from "../store.ts";
import { DEADLINE, PURGE, SNOOZE, TRAILS, TRASH } from "./due-kinds.ts";
import { raiseOverdue } from "./overdue.ts";
import { STOPPED_AT } from "./trails.ts";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const mails = retention({
  kind: PURGE,
  days: ({ mail_days }) => mail_days,
  oldest: ({ tx }) => store.findOldest(tx, tx.space_id),
  // The oldest may be one that is kept for now.
  remove: async ({ tx }, { before_id, limit }) =>
    (await store.deleteOldest(tx, { before_id, deadline: DEADLINE, limit })) < limit,
});

/** Has what is old removed from the transaction's space, within the hour. */
export async function planRetention(ctx: TxCtx, config: Config): Promise<void> {
  await plan(ctx, { kind: TRAILS, ref: 1, at: ctx.now() + DAY_MS });
  await mails.plan(ctx, config);
}

/** What happens to mail by itself. */
export const mailDue: Record<string, DueHandler> = {
  [SNOOZE]: (ctx, { ref }) => wake(ctx, ref),
  [DEADLINE]: (ctx, { ref }) => raiseOverdue(because(ctx, ref), ref),
  [TRASH]: (ctx, { ref }) => purgeTrashed(ctx, ref),
  ...mails.due,
  [TRAILS]: async (ctx, { ref }) => {
    const before = new Date(ctx.now() - DAY_MS).toISOString();
    const quiet = { before, stopped: STOPPED_AT, limit: PURGE_SLICE };
    const is_through = (await store.deleteQuietTrails(ctx.tx, quiet)) < PURGE_SLICE;
    await plan(ctx, { kind: TRAILS, ref, at: ctx.now() + (is_through ? DAY_MS : 0) });
  },
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
  const { space_id } = ctx.tx;
  const position = ctx.tx.takeId();
  await store.updateCopy(ctx.tx, {
    ...copy,
    position,
    read_at: null,
    snoozed_until: null,
    snooze_id: null,
    offered: 0,
  });
  const mail = await store.findSeen(ctx.tx, { space_id, principal_id: copy.principal_id, id: copy.mail_id });
  await append(because(ctx, copy.mail_id), {
    id: position,
    type: "mail.woken",
    topic: "mail",
    stream: copy.principal_id,
    ref: copy.mail_id,
    data: { agent: copy.name, ...(mail && aboutOf(mail)) },
  });
}

const aboutOf = ({
  sender,
  subject,
  priority,
  thread_id,
}: {
  sender: string;
  subject: string;
  priority: string;
  thread_id: number;
}) => ({
  from: sender,
  subject,
  priority,
  thread_id: formatId(thread_id),
});
