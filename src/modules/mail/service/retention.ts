import type { TxCtx } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { append, PURGE_SLICE, purgeAt, purgeBefore } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import { raise } from "../../notices/index.ts";
import * as store from "../store.ts";
import { DEADLINE, PURGE, SNOOZE, TRASH } from "./due-kinds.ts";

/** Has mail older than so many days removed from the transaction's space, within the hour; 0 keeps it for ever. */
export async function planPurge(ctx: TxCtx, days: number): Promise<void> {
  await unplan(ctx, { kind: PURGE });
  if (days === 0) return;
  const oldest_id = await store.findOldest(ctx.tx, ctx.tx.space_id);
  await plan(ctx, { kind: PURGE, ref: days, at: purgeAt(ctx, { oldest_id, days }) });
}

/** What happens to mail by itself. */
export const mailDue: Record<string, DueHandler> = {
  [SNOOZE]: (ctx, { ref }) => wake(ctx, ref),
  [DEADLINE]: (ctx, { ref }) => raiseOverdue(ctx, ref),
  [TRASH]: async (ctx, { ref }) => void (await store.deleteTrashed(ctx.tx, ref)),
  /** The row's `ref` is the number of days. */
  [PURGE]: async (ctx, { ref: days }) => {
    await store.deleteOldest(ctx.tx, { before_id: purgeBefore(ctx, days), limit: PURGE_SLICE });
    await planPurge(ctx, days);
  },
};

/** The mail is in the inbox again, at its top and unread. One that was snoozed anew is not the one that was meant. */
async function wake(ctx: TxCtx, snooze_id: number): Promise<void> {
  const copy = await store.findSnoozed(ctx.tx, snooze_id);
  if (!copy) return;
  const { space_id } = ctx.tx;
  const position = ctx.tx.takeId();
  await store.updateCopy(ctx.tx, { ...copy, position, read_at: null, snoozed_until: null, snooze_id: null });
  const mail = await store.findSeen(ctx.tx, { space_id, principal_id: copy.principal_id, id: copy.mail_id });
  await append(ctx, {
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

/** Told to the people once, and to those who have not acknowledged it. */
async function raiseOverdue(ctx: TxCtx, mail_id: number): Promise<void> {
  const { space_id } = ctx.tx;
  const late = (await store.listCopies(ctx.tx, { space_id, mail_id })).filter(({ acked_at }) => acked_at === null);
  const mail = await store.findMail(ctx.tx, { space_id, id: mail_id });
  if (late.length === 0 || !mail) return;
  const names = late.map(({ name }) => name);
  const few = names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
  await raise(ctx, {
    key: `mail.overdue ${mail_id}`,
    kind: "mail.overdue",
    title: `Overdue: ${mail.subject}`,
    text: `The deadline has passed, and ${few} did not acknowledge it.`,
    topic: "mail",
    ref: mail_id,
  });
  for (const { principal_id, name } of late) {
    const event = { type: "mail.overdue", topic: "mail", stream: principal_id, ref: mail_id };
    await append(ctx, { ...event, data: { agent: name, thread_id: formatId(mail.thread_id) } });
  }
}
