import type { Ctx } from "../../../context.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import type { Mail, MailItem } from "../schema.ts";
import { FIRST_NAMES, MOST_COUNTED } from "../schema.ts";
import * as store from "../store.ts";
import type { FullMailRow, ListedRow, MailRow } from "../tables.ts";

const TRUST = { human: "principal", agent: "peer", service: "external" } as const;

export function toItem(ctx: Ctx, row: ListedRow): MailItem {
  const names = recipientsOf(row);
  return {
    ...common(ctx, row),
    to: names.slice(0, FIRST_NAMES),
    recipients: names.length,
    preview: row.preview,
    thread_size: row.thread_size,
    position: formatId(row.position),
  };
}

export function toMail(ctx: Ctx, row: FullMailRow): Mail {
  return {
    ...common(ctx, row),
    to: recipientsOf(row),
    in_reply_to: row.in_reply_to === null ? null : formatId(row.in_reply_to),
    body: row.body,
  };
}

function common(ctx: Ctx, row: MailRow) {
  const { subject, bytes, priority, deadline, topic, state, read_at, acked_at, snoozed_until } = row;
  return {
    id: formatId(row.id),
    thread_id: formatId(row.thread_id),
    from: row.sender,
    trust: TRUST[row.sender_kind],
    subject,
    bytes,
    priority,
    deadline,
    overdue: deadline !== null && acked_at === null && state !== null && Date.parse(deadline) <= ctx.now(),
    topic,
    sent_at: timeOfId(row.id),
    state,
    read_at,
    acked_at,
    snoozed_until,
  };
}

/** Written by us, from names. */
const recipientsOf = ({ recipients }: MailRow): string[] => JSON.parse(recipients);

/** How many are unread, as every list, poll and hint says it. */
export async function unreadOf(
  ctx: Ctx,
  { principal_id }: { principal_id: string },
): Promise<{ unread: number; unread_more: boolean }> {
  const where = { space_id: ctx.actor.space_id, principal_id, most: MOST_COUNTED + 1 };
  return bounded(await store.countUnread(ctx.db, where));
}

/** A count as everybody is told it. */
export const bounded = (count: number): { unread: number; unread_more: boolean } => ({
  unread: Math.min(count, MOST_COUNTED),
  unread_more: count > MOST_COUNTED,
});
