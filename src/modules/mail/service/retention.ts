import type { TxCtx } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { append, because, PURGE_SLICE, purgeAt, purgeBefore, replan } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";
import { DEADLINE, PURGE, SNOOZE, TRAILS, TRASH } from "./due-kinds.ts";
import { raiseOverdue } from "./overdue.ts";
import { STOPPED_AT } from "./trails.ts";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Has mail older than so many days removed from the transaction's space, within the hour; 0 keeps it for ever. */
export async function planRetention(ctx: TxCtx, days: number): Promise<void> {
  await plan(ctx, { kind: TRAILS, ref: 1, at: ctx.now() + DAY_MS });
  if (days > 0) await planPurge(ctx, days, 0);
  else await unplan(ctx, { kind: PURGE });
}

async function planPurge(ctx: TxCtx, days: number, not_before: number): Promise<void> {
  const oldest_id = await store.findOldest(ctx.tx, ctx.tx.space_id);
  await replan(ctx, { kind: PURGE, at: Math.max(not_before, purgeAt(ctx, { oldest_id, days })) });
}

/** What happens to mail by itself. */
export const mailDue: Record<string, DueHandler> = {
  [SNOOZE]: (ctx, { ref }) => wake(ctx, ref),
  [DEADLINE]: (ctx, { ref }) => raiseOverdue(because(ctx, ref), ref),
  [TRASH]: (ctx, { ref }) => purgeTrashed(ctx, ref),
  [PURGE]: async (ctx, _due, { mail_days: days }) => {
    // Kept for ever since it was planned.
    if (days === 0) return;
    const old = { before_id: purgeBefore(ctx, days), deadline: DEADLINE, limit: PURGE_SLICE };
    const is_through = (await store.deleteOldest(ctx.tx, old)) < PURGE_SLICE;
    // The oldest may be one that is kept for now: it is not due at once over and over.
    await planPurge(ctx, days, is_through ? ctx.now() + HOUR_MS : 0);
  },
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
