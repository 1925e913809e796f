/** What events of questions hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { defineEvent, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { NamedEvent } from "../../../module.ts";
import { cut } from "../../../text.ts";
import type { CheckpointState, Question, Reason, State, Via } from "../schema.ts";
import type { NewQuestionRow, StatedQuestionRow } from "../tables.ts";

export const TOPIC = "questions";
const MOST_PREVIEW = 200;
/** As much of each question as whoever follows is told at once; all of it is there to be read. */
const MOST_TOLD = 500;

type About = { question_id: string; asked_by: string };
type Added = About & { question: string; priority: Question["priority"]; blocking: boolean };
export const questionAdded = defineEvent<Added>({ topic: TOPIC, type: "question.added" });
export const questionAnswered = defineEvent<About & { via: Via }>({ topic: TOPIC, type: "question.answered" });
export const questionClosed = defineEvent<About & { state: State }>({ topic: TOPIC, type: "question.closed" });

type Pause = { checkpoint_id: string; reason: Reason; phase: string | null; questions: object[] };
export const checkpointPaused = defineEvent<Pause>({ topic: TOPIC, type: "checkpoint.paused" });
type Resumed = { checkpoint_id: string; state: CheckpointState };
const checkpointResumed = defineEvent<Resumed>({ topic: TOPIC, type: "checkpoint.resumed" });

type Asked = Pick<NewQuestionRow, "id" | "asker_id" | "question" | "priority" | "blocking"> & { asked_by: string };

export const tellAdded = (ctx: TxCtx, asked: Asked): Promise<number> => {
  const { id, asker_id, question, asked_by, priority, blocking } = asked;
  const about = { question: cut(question, MOST_PREVIEW), asked_by, priority, blocking: blocking === 1 };
  return questionAdded.append(ctx, { stream: asker_id, ref: id, data: { question_id: formatId(id), ...about } });
};

type Over = Pick<StatedQuestionRow, "id" | "asker_id" | "asked_by">;

export const tellAnswered = (ctx: TxCtx, { id, asker_id, asked_by }: Over, via: Via): Promise<number> =>
  questionAnswered.append(ctx, { stream: asker_id, ref: id, data: { question_id: formatId(id), asked_by, via } });

export const tellClosed = (ctx: TxCtx, { id, asker_id, asked_by }: Over, state: State): Promise<number> =>
  questionClosed.append(ctx, { stream: asker_id, ref: id, data: { question_id: formatId(id), asked_by, state } });

interface Paused {
  id: number;
  reason: Reason;
  phase: string | null;
  questions: readonly Question[];
}

/** The checkpoint has the event's id. */
export const tellPaused = (ctx: TxCtx, { id, reason, phase, questions }: Paused): Promise<number> =>
  checkpointPaused.append(ctx, {
    ...{ id, stream: "" },
    data: { checkpoint_id: formatId(id), reason, phase, questions: questions.map(shortened) },
  });

function shortened({ id, question, context, asked_by, priority, blocking, options, options_only }: Question): object {
  const words = { question: cut(question, MOST_TOLD), context: cut(context, MOST_TOLD) };
  return { id, ...words, asked_by, priority, blocking, options, options_only };
}

export const tellResumed = (ctx: TxCtx, id: number, state: CheckpointState): Promise<number> =>
  checkpointResumed.append(ctx, { stream: "", ref: id, data: { checkpoint_id: formatId(id), state } });

/** A workflow waits for its people, by the name that pages written for the seed listen to. */
export function pendingIn(event: FeedEvent): NamedEvent[] {
  if (!checkpointPaused.is(event)) return [];
  const { checkpoint_id, questions } = event.data;
  return [{ name: "questions_pending", data: { checkpoint_id, questions } }];
}
