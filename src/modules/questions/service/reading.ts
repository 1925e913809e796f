import type { Ctx } from "../../../context.ts";
import { page, startOf } from "../../../pages.ts";
import {
  type ListPending,
  type ListQuestions,
  MOST_LISTED,
  type PendingList,
  type Question,
  type QuestionList,
} from "../schema.ts";
import * as store from "../store.ts";
import { isoNow, questionOf, wire } from "./wire.ts";

/** One of them, whatever became of it. */
export const look = async (ctx: Ctx, question_id: string): Promise<Question> =>
  wire(ctx, await questionOf(ctx, question_id));

/** What is open: what work waits for first, then what matters most. */
export async function listPending(ctx: Ctx, { limit }: ListPending): Promise<PendingList> {
  const where = { space_id: ctx.actor.space_id, now: isoNow(ctx) };
  const rows = await store.listOpen(ctx.db, { ...where, limit });
  const count = rows.length < limit ? rows.length : await store.countOpen(ctx.db, where);
  return { questions: rows.map((row) => wire(ctx, row)), count };
}

/** What has an answer, newest first. */
export const listAnswered = (ctx: Ctx, asked: ListQuestions): Promise<QuestionList> =>
  listed(ctx, asked, store.listAnswered);

/** Whatever was asked, newest first. */
export const listAll = (ctx: Ctx, asked: ListQuestions): Promise<QuestionList> =>
  listed(ctx, asked, store.listQuestions);

async function listed(
  ctx: Ctx,
  { limit, before }: ListQuestions,
  list: typeof store.listQuestions,
): Promise<QuestionList> {
  const where = { space_id: ctx.actor.space_id, before_id: startOf(before), limit: limit + 1 };
  const { shown, next } = page(await list(ctx.db, where), limit, ({ id }) => id);
  return { questions: shown.map((row) => wire(ctx, row)), next };
}

/** The newest answers as a text, the oldest of them first: what `read_section("user_answers")` gives. */
export async function userAnswers(ctx: Ctx): Promise<string> {
  const { questions } = await listAnswered(ctx, { limit: MOST_LISTED });
  return questions
    .reverse()
    .map(({ id, question, answer, asked_by, answered_by, handed_in_by, via }) => {
      const from = via === "default" ? "nobody answered in time: the default" : (answered_by ?? `by ${handed_in_by}`);
      return `## ${question.trim()}\n\n${answer}\n\n(question ${id} of ${asked_by}; ${from})`;
    })
    .join("\n\n");
}
