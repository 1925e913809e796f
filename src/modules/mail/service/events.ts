/** What events of mail hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { append, appendGroup, type Cause, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { NamedEvent } from "../../../module.ts";
import type { HolderRow } from "../../identity/index.ts";

export const TOPIC = "mail";
/** A mail is in somebody's inbox, new or again. */
export const NEWS = ["mail.received", "mail.woken"];
/** What may make another number of a mailbox's mails unread. */
const UNREAD = [...NEWS, "mail.changed"];
/** All but what becomes of what its owner has sent. */
export const IN_MAILBOX = [...UNREAD, "mail.overdue"];

/** Whose mailbox it is. */
type Holder = Pick<HolderRow, "principal_id" | "name">;

interface MailRef {
  mail_id: number;
  thread_id: number;
}

interface About extends MailRef {
  from: string;
  subject: string;
  priority: string;
  topic: string | null;
}

const dataOf = ({ from, subject, priority, thread_id, topic }: About) => ({
  ...{ from, subject, priority, thread_id: formatId(thread_id) },
  ...(topic !== null && { topic }),
});

/** To its sender and everybody who has a copy of it, each under the id of their copy. */
export const tellSent = (
  ctx: TxCtx,
  { sender, copies, cause, ...about }: About & { sender: Holder; copies: readonly Copy[]; cause: Cause | undefined },
): Promise<void> =>
  appendGroup(ctx, { topic: TOPIC, ref: about.mail_id, data: dataOf(about), cause }, [
    { id: about.mail_id, type: "mail.sent", stream: sender.principal_id, data: { agent: sender.name } },
    ...copies.map(({ id, principal_id, name }) => ({
      ...{ id, type: "mail.received", stream: principal_id },
      data: { agent: name },
    })),
  ]);

/** Who wrote which mail, in which thread; one that begins a thread has its id. */
export const sentIn = ({ ref: mail_id, stream: sender_id, data }: FeedEvent): MailRef & { sender_id: string } => ({
  ...{ mail_id, sender_id, thread_id: parseId(String(data.thread_id)) },
});

type Copy = Holder & { id: number };

/** It is new again, at the top of the inbox. */
export const tellWoken = (ctx: TxCtx, { id, principal_id, name }: Copy, about: About): Promise<number> =>
  append(ctx, {
    ...{ id, type: "mail.woken", topic: TOPIC, stream: principal_id, ref: about.mail_id },
    data: { agent: name, ...dataOf(about) },
  });

export const tellChanged = (ctx: TxCtx, holder: Holder, ref: MailRef, action: string): Promise<number> =>
  tellOf(ctx, "mail.changed", { holder, ref, data: { action } });

/** What a sender waits for: that it was read, acknowledged, marked by somebody, or put off until a time. */
export const tellReceipt = (
  ctx: TxCtx,
  sender: Holder,
  { mail_id, thread_id, ...data }: MailRef & { by: string; state: string; until?: string },
): Promise<number> => tellOf(ctx, "mail.receipt", { holder: sender, ref: { mail_id, thread_id }, data });

export const tellOverdue = (ctx: TxCtx, holder: Holder, ref: MailRef): Promise<number> =>
  tellOf(ctx, "mail.overdue", { holder, ref, data: {} });

const tellOf = (
  ctx: TxCtx,
  type: string,
  { holder, ref, data }: { holder: Holder; ref: MailRef; data: Record<string, unknown> },
): Promise<number> =>
  append(ctx, {
    ...{ type, topic: TOPIC, stream: holder.principal_id, ref: ref.mail_id },
    data: { agent: holder.name, ...data, thread_id: formatId(ref.thread_id) },
  });

/** By the names that pages written for the seed's hub listen to. */
export const alsoTold = ({ type, ref, data }: FeedEvent): NamedEvent[] =>
  NEWS.includes(type) ? [{ name: "new-message", data: { ...data, message_id: formatId(ref) } }] : [];

export const changesUnread = ({ type }: FeedEvent): boolean => UNREAD.includes(type);

export const threadHint =
  (thread_id: string): EventView =>
  ({ data }) =>
    data.thread_id === thread_id ? {} : null;

/** Of other people's mail nobody learns more than that there is some. */
export const mailboxHint =
  (shown: ReadonlySet<string>): EventView =>
  ({ stream, data }) =>
    shown.has(stream) ? { agent: data.agent } : {};

/** Whose mailbox an event is about. */
export const mailboxOf = ({ data }: FeedEvent): string => String(data.agent);

/** Whose urgent mail an event tells of. */
export const urgentFor = (event: FeedEvent): string | undefined =>
  NEWS.includes(event.type) && event.data.priority === "urgent" ? mailboxOf(event) : undefined;
