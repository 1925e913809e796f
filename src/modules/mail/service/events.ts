/** What events of mail hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import {
  appendGroup,
  type Cause,
  dataOf,
  defineEvent,
  type EventView,
  type FeedEvent,
  isAny,
} from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { NamedEvent } from "../../../module.ts";
import type { HolderRow } from "../../identity/index.ts";

export const TOPIC = "mail";

/** Whose mailbox it is, and in which thread. */
type InMailbox = { agent: string; thread_id: string };
type Facts = { from: string; subject: string; priority: string; thread_id: string; topic?: string };
type News = InMailbox & Facts;
type Receipt = InMailbox & { by: string; state: string; until?: string };

const sent = defineEvent<News>({ topic: TOPIC, type: "mail.sent" });
const received = defineEvent<News>({ topic: TOPIC, type: "mail.received" });
const woken = defineEvent<News>({ topic: TOPIC, type: "mail.woken" });
const changed = defineEvent<InMailbox & { action: string }>({ topic: TOPIC, type: "mail.changed" });
const receipt = defineEvent<Receipt>({ topic: TOPIC, type: "mail.receipt" });
const overdue = defineEvent<InMailbox>({ topic: TOPIC, type: "mail.overdue" });

/** A mail is in somebody's inbox, new or again. */
export const NEWS = [received.type, woken.type];
const isNews = isAny<News>([received, woken]);
/** What may make another number of a mailbox's mails unread. */
const UNREAD = [...NEWS, changed.type];
/** All but what becomes of what its owner has sent. */
export const IN_MAILBOX = [...UNREAD, overdue.type];
const isMail = isAny<InMailbox>([sent, received, woken, changed, receipt, overdue]);

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

const factsOf = ({ from, subject, priority, thread_id, topic }: About): Facts => ({
  ...{ from, subject, priority, thread_id: formatId(thread_id) },
  ...(topic !== null && { topic }),
});

/** To its sender and everybody who has a copy of it, each under the id of their copy. */
export const tellSent = (
  ctx: TxCtx,
  { sender, copies, cause, ...about }: About & { sender: Holder; copies: readonly Copy[]; cause: Cause | undefined },
): Promise<void> =>
  appendGroup(ctx, { topic: TOPIC, ref: about.mail_id, data: factsOf(about), cause }, [
    sent.member<Facts>({ id: about.mail_id, stream: sender.principal_id, data: { agent: sender.name } }),
    ...copies.map(({ id, principal_id, name }) =>
      received.member<Facts>({ id, stream: principal_id, data: { agent: name } }),
    ),
  ]);

/** Who wrote which mail, in which thread; one that begins a thread has its id. */
export const sentIn = (event: FeedEvent): MailRef & { sender_id: string } => ({
  mail_id: event.ref,
  sender_id: event.stream,
  thread_id: parseId(dataOf(event, sent.is).thread_id),
});

type Copy = Holder & { id: number };

/** It is new again, at the top of the inbox. */
export const tellWoken = (ctx: TxCtx, { id, principal_id, name }: Copy, about: About): Promise<number> =>
  woken.append(ctx, {
    ...{ id, stream: principal_id, ref: about.mail_id },
    data: { agent: name, ...factsOf(about) },
  });

export const tellChanged = (ctx: TxCtx, holder: Holder, mails: readonly MailRef[], action: string): Promise<void> =>
  changed.appendAll(
    ctx,
    mails.map((mail) => ({
      ...of(holder, mail),
      data: { agent: holder.name, action, thread_id: formatId(mail.thread_id) },
    })),
  );

type Proof = MailRef & { sender: Holder } & Omit<Receipt, keyof InMailbox>;

/** What a sender waits for: that it was read, acknowledged, marked by somebody, or put off until a time. */
export const tellReceipts = (ctx: TxCtx, proofs: readonly Proof[]): Promise<void> =>
  receipt.appendAll(
    ctx,
    proofs.map(({ sender, mail_id, thread_id, ...what }) => ({
      ...of(sender, { mail_id, thread_id }),
      data: { agent: sender.name, ...what, thread_id: formatId(thread_id) },
    })),
  );

export const tellOverdue = (ctx: TxCtx, holder: Holder, mail: MailRef): Promise<number> =>
  overdue.append(ctx, { ...of(holder, mail), data: { agent: holder.name, thread_id: formatId(mail.thread_id) } });

const of = ({ principal_id }: Holder, { mail_id }: MailRef) => ({ stream: principal_id, ref: mail_id });

/** By the names that pages written for the seed's hub listen to. */
export const alsoTold = (event: FeedEvent): NamedEvent[] =>
  isNews(event) ? [{ name: "new-message", data: { ...event.data, message_id: formatId(event.ref) } }] : [];

export const changesUnread = ({ type }: FeedEvent): boolean => UNREAD.includes(type);

export const threadHint =
  (thread_id: string): EventView =>
  (event) =>
    isMail(event) && event.data.thread_id === thread_id ? {} : null;

/** Of other people's mail nobody learns more than that there is some. */
export const mailboxHint =
  (shown: ReadonlySet<string>): EventView =>
  (event) =>
    shown.has(event.stream) && isMail(event) ? { agent: event.data.agent } : {};

/** Whose mailbox an event is about. */
export const mailboxOf = (event: FeedEvent): string => dataOf(event, isMail).agent;

/** Whose urgent mail an event tells of. */
export const urgentFor = (event: FeedEvent): string | undefined =>
  isNews(event) && event.data.priority === "urgent" ? event.data.agent : undefined;
