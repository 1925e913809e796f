import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { wordsOf } from "../../../db/words.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import { type Cause, toColumns } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { parseTime } from "../../../times.ts";
import { type HolderRow, ownHolder, people, recipients, suggestion } from "../../identity/index.ts";
import { MOST_BODY_BYTES, MOST_SUBJECT, type Priority, type Reply, type Send, type Sent } from "../schema.ts";
import * as store from "../store.ts";
import { DEADLINE } from "./due-kinds.ts";
import { tellSent } from "./events.ts";
import { guardLoops } from "./loops.ts";
import { noSuchMail } from "./mailboxes.ts";
import { guardStorms, MOST_URGENT, rationed } from "./storms.ts";

/** Stands for the people of the space, whoever they are. Nobody is called so. */
const EVERY_PERSON = "User";
const PREVIEW_CHARACTERS = 200;
const TOO_URGENT = `It was sent as normal: you have sent ${MOST_URGENT} urgent mails to one of them within an hour.`;

export function send(ctx: Ctx, { to, thread_id, ...letter }: Send): Promise<Sent> {
  return transact(ctx, async (ctx) => {
    const sender = await ownHolder(ctx);
    const thread = thread_id === undefined ? null : await ownThread(ctx, sender, thread_id);
    const recipients = await recipientsOf(ctx, sender, to);
    return deliver(ctx, { ...letter, sender, recipients, thread_id: thread, in_reply_to: null, topic: null });
  });
}

/** To everybody who sent or received anything in the thread, but the sender. */
export function reply(ctx: Ctx, { id, subject, ...letter }: Reply): Promise<Sent> {
  return transact(ctx, async (ctx) => {
    const sender = await ownHolder(ctx);
    const { space_id } = ctx.tx;
    const seen = await store.findSeen(ctx.tx, { space_id, principal_id: sender.principal_id, id: parseId(id) });
    if (!seen) throw noSuchMail(id);
    const participants = await store.listParticipants(ctx.tx, { space_id, thread_id: seen.thread_id });
    const others = participants.filter((name) => name !== sender.name);
    if (others.length === 0)
      throw new ParleyError("MAIL_TO_SELF", "There is nobody else in this thread. Send it to somebody with mail_send.");
    const living = await stillHere(ctx, others);
    if (living.length === 0)
      throw new ParleyError("RECIPIENT_NOT_FOUND", "Nobody else of this thread is here any more, so nothing was sent.");
    return deliver(ctx, {
      ...letter,
      subject: subject ?? answerSubject(seen.subject),
      sender,
      recipients: living,
      thread_id: seen.thread_id,
      in_reply_to: seen.id,
      topic: null,
    });
  });
}

/** Not cut in the middle of a character. */
const answerSubject = (subject: string): string =>
  (/^re:/i.test(subject) ? subject : `Re: ${subject}`).slice(0, MOST_SUBJECT).replace(/[\ud800-\udbff]$/, "");

/** Those who can be written to, of those who took part or follow a topic, by name. */
export const stillHere = async (ctx: TxCtx, names: readonly string[]): Promise<HolderRow[]> =>
  (await recipients(ctx, names)).sort((a, b) => (a.name < b.name ? -1 : 1));

async function ownThread(ctx: TxCtx, sender: HolderRow, thread_id: string): Promise<number> {
  const { space_id } = ctx.tx;
  const participants = await store.listParticipants(ctx.tx, { space_id, thread_id: parseId(thread_id) });
  if (participants.includes(sender.name)) return parseId(thread_id);
  throw new ParleyError("THREAD_NOT_FOUND", `There is no thread ${thread_id} for you here.`);
}

async function recipientsOf(ctx: TxCtx, sender: HolderRow, names: readonly string[]): Promise<HolderRow[]> {
  const found = new Map<string, HolderRow>();
  const known = new Map((await recipients(ctx, names)).map((one) => [one.name, one]));
  for (const name of names) {
    const one = known.get(name);
    if (one) found.set(one.principal_id, one);
    else if (name !== EVERY_PERSON) throw await nobody(ctx, name);
    else for (const person of await otherPeople(ctx, sender)) found.set(person.principal_id, person);
  }
  if (found.has(sender.principal_id))
    throw new ParleyError("MAIL_TO_SELF", "You cannot send mail to yourself. Leave your own name out.");
  return [...found.values()];
}

async function nobody(ctx: TxCtx, name: string): Promise<ParleyError> {
  return new ParleyError(
    "RECIPIENT_NOT_FOUND",
    `There is nobody called ${name} here, so nothing was sent.${await suggestion(ctx, name)}`,
    { details: { recipient: name } },
  );
}

async function otherPeople(ctx: TxCtx, sender: HolderRow): Promise<HolderRow[]> {
  const others = (await people(ctx)).filter(({ principal_id }) => principal_id !== sender.principal_id);
  if (others.length > 0) return others;
  throw new ParleyError("RECIPIENT_NOT_FOUND", "There is no other person here yet, so nothing was sent.", {
    details: { recipient: EVERY_PERSON },
  });
}

export interface Letter {
  sender: HolderRow;
  recipients: readonly HolderRow[];
  subject: string;
  body: string;
  priority: Priority;
  deadline?: string | undefined;
  queued_at?: string | undefined;
  /** Null begins a thread. */
  thread_id: number | null;
  in_reply_to: number | null;
  topic: string | null;
  /** The hub hands on what somebody was asked for: that is no part of a quarrel, however often. */
  asked_for?: boolean;
}

/** Stores the mail and a copy for each recipient, in the caller's transaction: all of it or nothing. */
export async function deliver(ctx: TxCtx, letter: Letter): Promise<Sent> {
  const { sender, recipients, subject, body, topic } = letter;
  const bytes = Buffer.byteLength(body);
  if (bytes > MOST_BODY_BYTES)
    throw new ParleyError("CONTENT_TOO_LARGE", `A body holds at most ${MOST_BODY_BYTES} bytes; this one has ${bytes}.`);
  const said_at = letter.queued_at;
  const deadline =
    letter.deadline === undefined ? null : parseTime(ctx, letter.deadline, { what: "deadline", said_at });
  if (!letter.asked_for) await guardLoops(ctx, letter);
  // Before what is counted in memory: an operation that only finds out what it will read ends here.
  const id = ctx.tx.takeId();
  if (!letter.asked_for) guardStorms(ctx, letter);
  const priority = rationed(ctx, letter);
  const waits = priority === "urgent" || deadline !== null;
  const copies = recipients.map(({ principal_id, name, kind }) => ({
    id: ctx.tx.takeId(),
    principal_id,
    name,
    asks: waits && kind === "human" ? 1 : null,
  }));
  const thread_id = letter.thread_id ?? id;
  const names = recipients.map(({ name }) => name);
  const { space_id } = ctx.tx;
  const earlier = letter.thread_id === null ? [] : await store.listParticipants(ctx.tx, { space_id, thread_id });
  const { principal_id: by } = ctx.actor;
  await store.insertMail(ctx.tx, {
    id,
    thread_id,
    in_reply_to: letter.in_reply_to,
    sender_id: sender.principal_id,
    by_principal_id: by === sender.principal_id ? null : by,
    recipients: JSON.stringify(names),
    participants: JSON.stringify([...new Set([...earlier, sender.name, ...names])].sort()),
    subject,
    preview: storedPreview(body),
    priority,
    deadline: deadline === null ? null : new Date(deadline).toISOString(),
    topic,
    bytes,
    body,
    ...toColumns(ctx.cause),
  });
  const words = wordsOf({ id, space_id }, `${subject}\n${body}`, { readers: readersOf(ctx, [sender, ...recipients]) });
  // At the end: FTS5 writes a piece of its index whenever an operation of the batch is over.
  ctx.tx.atEnd((tx) => store.insertWords(tx, words));
  const about = { mail_id: id, thread_id, from: sender.name, subject, priority, topic };
  await Promise.all([
    store.insertCopies(
      ctx.tx,
      copies.map(({ id: copy_id, principal_id, asks }) => ({ id: copy_id, mail_id: id, principal_id, priority, asks })),
    ),
    tellSent(ctx, { ...about, sender, copies, cause: ctx.cause ?? answeredBy(letter) }),
  ]);
  if (letter.thread_id !== null && sender.kind === "human") await answered(ctx, sender, thread_id);
  if (deadline !== null && recipients.length > 0) await plan(ctx, { kind: DEADLINE, ref: id, at: deadline });
  const pause = hit("post.after_insert");
  if (pause) await pause;
  const rationing = priority === letter.priority ? {} : { priority, note: TOO_URGENT };
  return { id: formatId(id), thread_id: formatId(thread_id), to: names, ...rationing };
}

/** Whoever acts may say what else led to it; that it is an answer stands in the mail in any case. */
export const answeredBy = ({ in_reply_to }: Pick<Letter, "in_reply_to">): Cause | undefined =>
  in_reply_to === null ? undefined : { id: in_reply_to, how: "reply" };

/** Who writes in a thread has dealt with what waited there. */
const answered = (ctx: TxCtx, { principal_id }: HolderRow, thread_id: number): Promise<void> =>
  store.answerThread(ctx.tx, { principal_id, thread_id, answered_at: new Date(ctx.now()).toISOString() });

/** The mailboxes that may find it. */
const readersOf = (ctx: TxCtx, holders: readonly HolderRow[]): string[] =>
  holders.map(({ principal_id }) => `${ctx.tx.space_id} ${principal_id}`);

/** Nothing where it is the body itself. */
function storedPreview(body: string): string {
  const preview = previewOf(body);
  return preview === body ? "" : preview;
}

/** Never empty: no body is. */
const previewOf = (body: string): string =>
  body
    .trimStart()
    .slice(0, PREVIEW_CHARACTERS * 4)
    .replace(/\s{2,}|[^\S ]/g, " ")
    .trim()
    .slice(0, PREVIEW_CHARACTERS)
    .toWellFormed();
