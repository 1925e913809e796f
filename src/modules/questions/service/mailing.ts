import { has, PEOPLE, type TxCtx } from "../../../context.ts";
import { because, type FeedEvent } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { cut } from "../../../text.ts";
import { type HolderRow, people } from "../../identity/index.ts";
import { look, relay, send, sentIn } from "../../mail/index.ts";
import { type AddQuestion, MOST_ANSWER } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedQuestionRow } from "../tables.ts";
import { settle } from "./ending.ts";
import { optionsOf, stateOf } from "./wire.ts";
import { wordsOf } from "./words.ts";

const EVERYBODY = "User";

/** What work waits for is asked by mail too: whoever replies has answered. Gives the thread, where there is somebody to ask. */
export async function askByMail(
  ctx: TxCtx,
  id: number,
  { asker, ...input }: AddQuestion & { asker: HolderRow },
): Promise<number | null> {
  if (asker.kind !== "agent" || (await people(ctx)).length === 0) return null;
  const { title, text } = wordsOf(input);
  const { options, options_only } = input;
  const choices = options && `${options_only ? "Answer with one of" : "For example"}: ${options.join(" · ")}`;
  const how = `Reply to answer question ${formatId(id)}; work waits for it. The first answer counts.`;
  const body = [text, choices, how].filter(Boolean).join("\n\n");
  const mail = { to: [EVERYBODY], subject: title, body, priority: "normal" as const };
  return parseId((await send(because(ctx, id), mail)).id);
}

/** A person replied where a question was asked. The reply is in everybody's mailbox as it is, the asker's too. */
export async function answerByMail(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { mail_id, thread_id, sender_id } = sentIn(event);
  // Most mail begins a thread, and answers nothing.
  if (thread_id === mail_id) return;
  const row = await store.findAskedBy(ctx.tx, { space_id: ctx.tx.space_id, thread_id });
  const { principal_id: by, name } = ctx.actor;
  // What the hub hands on in somebody's name is none of their answers.
  if (!row || sender_id !== by || !has(ctx.actor, ...PEOPLE)) return;
  const mail = await look(ctx, { id: formatId(mail_id) });
  const refusal = await refusalOf(ctx, row, mail.body.trim());
  if (refusal === undefined || mail.in_reply_to !== formatId(thread_id) || refusal.from === name) return;
  await relay(ctx, { ...refusal, to: name, subject: `Re: ${mail.subject}`, thread_id });
}

/** Undefined where it was taken as the answer. */
async function refusalOf(
  ctx: TxCtx,
  row: StatedQuestionRow,
  text: string,
): Promise<{ from: string; body: string } | undefined> {
  const state = stateOf(ctx, row);
  if (state === "withdrawn" || state === "dismissed")
    return { from: row.settled_by_name ?? row.asked_by, body: `Question ${row.id} was ${state}: it needs no answer.` };
  const options = optionsOf(row);
  if (row.options_only === 1 && state !== "answered" && !options?.includes(text))
    return { from: row.asked_by, body: `Question ${row.id} is answered with one of: ${options?.join(" · ")}` };
  const answering = { answer: cut(text, MOST_ANSWER - 1), by: ctx.actor.principal_id, via: "mail" as const };
  if (await settle(ctx, row, answering)) return undefined;
  const first = row.settled_by_name ?? row.asked_by;
  return { from: first, body: `Question ${row.id} had been answered before you did, by ${first}: ${row.answer}` };
}
