import { type Ctx, has, PEOPLE, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, Id, parseId } from "../../../ids.ts";
import type { Answers, SubmitAnswers, SubmitToCheckpoint, Submitted } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedQuestionRow } from "../tables.ts";
import { checkpointOf, countRemaining } from "./checkpoints.ts";
import { settle } from "./ending.ts";
import { optionsOf, stateOf } from "./wire.ts";

/** Answers questions, each once: of several who answer the same the first counts. */
export const submit = (ctx: Ctx, { answers }: SubmitAnswers): Promise<Submitted> =>
  transact(ctx, (ctx) => take(ctx, listed(answers), undefined));

/** The same for a checkpoint, by a page that was told of it: if nothing of it was open, that is a conflict. */
export const submitTo = (ctx: Ctx, { answers, checkpoint_id }: SubmitToCheckpoint): Promise<Submitted> =>
  transact(ctx, async (ctx) => {
    const checkpoint = checkpoint_id === undefined ? undefined : await checkpointOf(ctx, checkpoint_id);
    const submitted = await take(ctx, listed(answers), checkpoint?.id);
    if (submitted.answered.length > 0) return submitted;
    throw new ParleyError("CONFLICT", "Nothing of this was open, so nothing was changed.", { details: submitted });
  });

interface Answer {
  question_id: string;
  answer: string;
}

const listed = (answers: Answers): Answer[] =>
  Array.isArray(answers) ? answers : Object.entries(answers).map(([question_id, answer]) => ({ question_id, answer }));

async function take(ctx: TxCtx, answers: readonly Answer[], checkpoint: number | undefined): Promise<Submitted> {
  const found = await Promise.all(answers.map((one) => find(ctx, one.question_id)));
  // All of them before the first is taken: what is refused changes nothing.
  for (const [at, row] of found.entries()) if (row) checkAnswer(ctx, row, answers[at]?.answer ?? "");
  const lists = { answered: [], not_found: [], already_answered: [], withdrawn: [] } as Lists;
  let resumed: number | undefined;
  for (const [at, { question_id, answer }] of answers.entries()) {
    const row = found[at];
    if (!row) lists.not_found.push(question_id);
    else {
      const done = await takeOne(ctx, row, answer);
      lists[done.list].push(formatId(row.id));
      resumed ??= done.resumed;
    }
  }
  const checkpoint_id = checkpoint ?? resumed ?? (await holdingOf(ctx, found));
  const remaining = await countRemaining(ctx, checkpoint_id);
  return {
    ...lists,
    remaining,
    resumed: resumed !== undefined,
    checkpoint_id: checkpoint_id === undefined ? null : formatId(checkpoint_id),
  };
}

type List = "answered" | "already_answered" | "withdrawn";
type Lists = Record<List | "not_found", string[]>;

async function takeOne(ctx: TxCtx, row: StatedQuestionRow, answer: string): Promise<{ list: List; resumed?: number }> {
  const state = stateOf(ctx, row);
  if (state === "withdrawn" || state === "dismissed") return { list: "withdrawn" };
  if (state === "answered") return { list: "already_answered" };
  const hands_in = !has(ctx.actor, ...PEOPLE);
  const settled = await settle(ctx, row, { answer, by: ctx.actor.principal_id, hands_in, via: "submit_answers" });
  if (!settled) return { list: "already_answered" };
  return { list: "answered", ...(settled.resumed !== undefined && { resumed: settled.resumed }) };
}

const find = async (ctx: TxCtx, question_id: string): Promise<StatedQuestionRow | undefined> =>
  Id.safeParse(question_id).success
    ? store.findQuestion(ctx.tx, { space_id: ctx.tx.space_id, id: parseId(question_id) })
    : undefined;

function checkAnswer(ctx: Ctx, row: StatedQuestionRow, answer: string): void {
  const state = stateOf(ctx, row);
  if (state === "open" || state === "no_response") checkOption(row, answer);
}

export function checkOption(row: StatedQuestionRow, answer: string): void {
  const options = optionsOf(row);
  if (row.options_only === 0 || options?.includes(answer)) return;
  throw new ParleyError(
    "INVALID_ARGUMENT",
    `Question ${formatId(row.id)} is answered with one of: ${options?.join(", ")}. Nothing was changed.`,
  );
}

async function holdingOf(ctx: TxCtx, rows: readonly (StatedQuestionRow | undefined)[]): Promise<number | undefined> {
  for (const row of rows) {
    const holding = row && (await store.findHolding(ctx.tx, row.id));
    if (holding !== undefined) return holding;
  }
  return undefined;
}
