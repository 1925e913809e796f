import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { because } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import { ownHolder } from "../../identity/index.ts";
import { answer as answerNotice, expire, takeBack } from "../../notices/index.ts";
import type { Closed, QuestionRef, State, Via } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedQuestionRow } from "../tables.ts";
import { resumeAfter } from "./checkpoints.ts";
import { EXPIRE, RELAY } from "./due-kinds.ts";
import { tellAnswered, tellClosed } from "./events.ts";
import { noSuchQuestion, questionOf, stateOf } from "./wire.ts";

interface Answering {
  answer: string;
  /** The principal who answers or hands in. */
  by: string;
  /** What somebody else said. */
  hands_in?: boolean | undefined;
  via: Exclude<Via, "default">;
}

/** The one way in which a question is answered: recorded, told, on its way to who asked. Undefined if somebody was first. */
export async function settle(
  ctx: TxCtx,
  row: StatedQuestionRow,
  { answer, by, hands_in, via }: Answering,
): Promise<{ resumed: number | undefined } | undefined> {
  // An answer that comes late is still one.
  if (!(await answerNotice(ctx, row.id, { by, hands_in, late: true }))) return undefined;
  await store.saveAnswer(ctx.tx, { id: row.id, answer, via, handed_in: hands_in ? 1 : 0 });
  if (row.expires_at) await unplan(ctx, { kind: EXPIRE, ref: row.id });
  // A reply to the mail that asks is in the asker's mailbox as it is.
  if (via !== "mail") await plan(ctx, { kind: RELAY, ref: row.id, at: ctx.now() });
  await tellAnswered(ctx, row, via);
  return { resumed: await resumeAfter(ctx, row.id) };
}

/** Who asked needs no answer any more. One that is over stays as it is. */
export const withdraw = (ctx: Ctx, { question_id }: QuestionRef): Promise<Closed> =>
  transact(ctx, async (ctx) => {
    const row = await questionOf(ctx, question_id);
    if (row.asker_id !== (await ownHolder(ctx)).principal_id) throw noSuchQuestion(question_id);
    return end(ctx, row, row.asker_id);
  });

/** A person says that nobody will answer it. */
export const dismiss = (ctx: Ctx, { question_id }: QuestionRef): Promise<Closed> =>
  transact(ctx, async (ctx) => end(ctx, await questionOf(ctx, question_id), ctx.actor.principal_id));

async function end(ctx: TxCtx, row: StatedQuestionRow, by: string): Promise<Closed> {
  if (await takeBack(ctx, row.id, by)) {
    if (row.expires_at) await unplan(ctx, { kind: EXPIRE, ref: row.id });
    await close(ctx, row, by === row.asker_id ? "withdrawn" : "dismissed");
  }
  const question_id = formatId(row.id);
  return { question_id, state: stateOf(ctx, await questionOf(ctx, question_id)) };
}

/** Its time is over: silence is no answer, unless the space goes on with what the asker gave for that. */
export const expireQuestion: DueHandler = async (outer, { ref }) => {
  const ctx = because(outer, ref);
  const row = await store.findQuestion(ctx.tx, { space_id: ctx.tx.space_id, id: ref });
  if (!row || !(await expire(ctx, ref))) return;
  if (row.fallback !== null && allowsDefaults(ctx))
    await store.saveAnswer(ctx.tx, { id: ref, answer: row.fallback, via: "default", handed_in: 0 });
  await close(ctx, row, "no_response");
};

const allowsDefaults = ({ config, tx }: TxCtx): boolean =>
  config.question_defaults.some((space) => space === "*" || space === tx.space_id);

async function close(ctx: TxCtx, row: StatedQuestionRow, state: State): Promise<void> {
  await tellClosed(ctx, row, state);
  await resumeAfter(ctx, row.id);
}
