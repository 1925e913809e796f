/** What events of questions hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { append, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { NamedEvent } from "../../../module.ts";
import { cut } from "../../../text.ts";
import type { CheckpointState, Question, Reason, State, Via } from "../schema.ts";
import type { NewQuestionRow, StatedQuestionRow } from "../tables.ts";

export const TOPIC = "questions";
const MOST_PREVIEW = 200;
/** As much of each question as whoever follows is told at once; all of it is there to be read. */
const MOST_TOLD = 500;

type Asked = Pick<NewQuestionRow, "id" | "asker_id" | "question" | "priority" | "blocking"> & { asked_by: string };

export const tellAdded = (ctx: TxCtx, asked: Asked): Promise<number> => {
  const { id, asker_id, question, asked_by, priority, blocking } = asked;
  const about = { question: cut(question, MOST_PREVIEW), asked_by, priority, blocking: blocking === 1 };
  return append(ctx, {
    ...{ type: "question.added", topic: TOPIC, stream: asker_id, ref: id },
    data: { question_id: formatId(id), ...about },
  });
};

type Over = Pick<StatedQuestionRow, "id" | "asker_id" | "asked_by">;

export const tellAnswered = (ctx: TxCtx, { id, asker_id, asked_by }: Over, via: Via): Promise<number> =>
  append(ctx, {
    ...{ type: "question.answered", topic: TOPIC, stream: asker_id, ref: id },
    data: { question_id: formatId(id), asked_by, via },
  });

export const tellClosed = (ctx: TxCtx, { id, asker_id, asked_by }: Over, state: State): Promise<number> =>
  append(ctx, {
    ...{ type: "question.closed", topic: TOPIC, stream: asker_id, ref: id },
    data: { question_id: formatId(id), asked_by, state },
  });

interface Paused {
  id: number;
  reason: Reason;
  phase: string | null;
  questions: readonly Question[];
}

/** The checkpoint has the event's id. */
export const tellPaused = (ctx: TxCtx, { id, reason, phase, questions }: Paused): Promise<number> =>
  append(ctx, {
    ...{ id, type: "checkpoint.paused", topic: TOPIC, stream: "" },
    data: { checkpoint_id: formatId(id), reason, phase, questions: questions.map(told) },
  });

function told({ id, question, context, asked_by, priority, blocking, options, options_only }: Question): object {
  const words = { question: cut(question, MOST_TOLD), context: cut(context, MOST_TOLD) };
  return { id, ...words, asked_by, priority, blocking, options, options_only };
}

export const tellResumed = (ctx: TxCtx, id: number, state: CheckpointState): Promise<number> =>
  append(ctx, {
    ...{ type: "checkpoint.resumed", topic: TOPIC, stream: "", ref: id },
    data: { checkpoint_id: formatId(id), state },
  });

/** A workflow waits for its people, by the name that pages written for the seed listen to. */
export function pendingIn({ type, data: { checkpoint_id, questions } }: FeedEvent): NamedEvent[] {
  return type === "checkpoint.paused" ? [{ name: "questions_pending", data: { checkpoint_id, questions } }] : [];
}
