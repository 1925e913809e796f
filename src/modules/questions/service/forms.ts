import { type Ctx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { Asked } from "../../../tool.ts";
import { ownHolder } from "../../identity/index.ts";
import { MOST_ANSWER, type WaitForQuestion } from "../schema.ts";
import type { StatedQuestionRow } from "../tables.ts";
import { checkOption } from "./answering.ts";
import { settle } from "./ending.ts";
import { optionsOf, questionOf, stateOf } from "./wire.ts";

/** Who sits at the asker's own client is asked there too. Everybody else is asked as ever, and the first answer counts. */
export async function showForm(ctx: Ctx, { question_id }: WaitForQuestion): Promise<Asked | undefined> {
  const row = await ownOpen(ctx, question_id);
  if (!row) return undefined;
  const message = [row.question, row.context].filter(Boolean).join("\n\n");
  return { message, options: optionsOf(row), options_only: row.options_only === 1 };
}

/** It is recorded as handed in by the asker's client: that a person said it, nothing but that client proves. */
export const takeForm = (ctx: Ctx, { question_id }: WaitForQuestion, text: string): Promise<void> =>
  transact(ctx, async (ctx) => {
    const row = await ownOpen(ctx, question_id);
    if (!row) return;
    const answer = text.trim();
    if (answer === "" || answer.length > MOST_ANSWER)
      throw new ParleyError("INVALID_ARGUMENT", `An answer has 1 to ${MOST_ANSWER} characters.`);
    checkOption(row, answer);
    await settle(ctx, row, { answer, by: row.asker_id, hands_in: true, via: "elicitation" });
  });

/** Undefined for another's, for what is over, and where forms are not allowed. */
async function ownOpen(ctx: Ctx, question_id: string): Promise<StatedQuestionRow | undefined> {
  if (!ctx.config.question_forms) return undefined;
  const row = await questionOf(ctx, question_id);
  const own = row.raised_by === (await ownHolder(ctx)).principal_id;
  return own && stateOf(ctx, row) === "open" ? row : undefined;
}
