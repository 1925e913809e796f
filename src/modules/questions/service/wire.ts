import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import type { Outcome, Question, State } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedQuestionRow } from "../tables.ts";

/** The tool by which questions are answered. */
export const ANSWERED_WITH = "submit_answers";

export const isoNow = (ctx: Ctx): string => new Date(ctx.now()).toISOString();

/** The notice's, in the words of who asks. Its time may be over before anybody has noted it. */
export function stateOf(ctx: Ctx, { state, expires_at, settled_by, asker_id }: StatedQuestionRow): State {
  if (state === "open") return expires_at !== null && expires_at <= isoNow(ctx) ? "no_response" : "open";
  if (state === "answered") return "answered";
  if (state === "expired") return "no_response";
  return settled_by === asker_id ? "withdrawn" : "dismissed";
}

export function wire(ctx: Ctx, row: StatedQuestionRow): Question {
  const { id, question, context, asked_by, priority, expires_at, answer, via } = row;
  const state = stateOf(ctx, row);
  const by = state === "answered" ? row.settled_by_name : null;
  const answered_at = answer === null ? null : row.settled_at;
  return {
    id: formatId(id),
    ...{ question, context, asked_by, asked_at: timeOfId(id), asker_ended: row.asker_ended === 1, priority },
    blocking: row.blocking === 1,
    waiting: row.checkpoint_id === null ? null : { checkpoint_id: formatId(row.checkpoint_id), phase: row.phase },
    options: optionsOf(row),
    options_only: row.options_only === 1,
    default: row.fallback,
    ...{ expires_at, state, answer, answered_at },
    answered_by: row.handed_in === 1 ? null : by,
    handed_in_by: row.handed_in === 1 ? by : null,
    via,
    late: state === "answered" && expires_at !== null && answered_at !== null && answered_at > expires_at,
  };
}

export function outcomeOf(ctx: Ctx, row: StatedQuestionRow): Outcome {
  const { id: question_id, question, state, answer, answered_by, via } = wire(ctx, row);
  return { question_id, question, state, answer, answered_by, via };
}

/** Written by `ask`, from texts. */
export const optionsOf = ({ options }: Pick<StatedQuestionRow, "options">): string[] | null =>
  options === null ? null : (JSON.parse(options) as string[]);

export async function questionOf(ctx: Ctx, question_id: string): Promise<StatedQuestionRow> {
  const row = await store.findQuestion(ctx.db, { space_id: ctx.actor.space_id, id: parseId(question_id) });
  if (!row) throw noSuchQuestion(question_id);
  return row;
}

export const noSuchQuestion = (question_id: string): ParleyError =>
  new ParleyError(
    "QUESTION_NOT_FOUND",
    `There is no question ${question_id} here. get_all_questions shows what there is.`,
  );
