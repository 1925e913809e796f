/**
 * Tells a session of a trigger what people answered to its question, by a run of the trigger's program, once: not while
 * the run that asked goes on, which may wait for the answer itself, and not if it has got it.
 */
import type { TxCtx } from "../../../context.ts";
import type { Consumer, FeedEvent } from "../../../feed/index.ts";
import { Boundary } from "../../../untrusted.ts";
import * as questions from "../../questions/index.ts";
import * as runs from "../../runs/index.ts";
import { RETRIES, toldTrigger } from "./relaying.ts";

async function tellAnswer(ctx: TxCtx, answer: questions.TriggersAnswer): Promise<void> {
  const { trigger_name: name, run_id } = answer;
  const trigger = await toldTrigger(ctx, name);
  if (!trigger) return;
  const asked_in = run_id === undefined ? undefined : await runs.sessionOfRun(ctx, run_id);
  if (asked_in && !asked_in.is_over) return;
  if (!(await questions.takeAnswer(ctx, answer))) return;
  const { session_mode } = trigger;
  const session = { session_mode, session_key: asked_in?.session_key, behind: run_id, parallel: true };
  const prompt = answerText(answer);
  await runs.plan(ctx, { kind: "trigger", name, ...session, prompt, retries: RETRIES, cause: answer.id });
}

/** What the session is told. It may be one that knows nothing of the question. */
function answerText({ id, question, answer, answered_by }: questions.TriggersAnswer): string {
  const boundary = new Boundary("is what was asked, and what a person answered", question + answer);
  return boundary.explained(
    [
      `Question ${id}, which this trigger asked, was answered${answered_by === null ? "" : ` by ${answered_by}`}.`,
      `What was asked:\n${boundary.around(question)}`,
      `The answer:\n${boundary.around(answer)}`,
      "Go on with it. Do not begin again what you were first told to do.",
    ].join("\n\n"),
  );
}

async function afterAnswer(ctx: TxCtx, { ref }: FeedEvent): Promise<void> {
  const answer = await questions.answerForTrigger(ctx, ref);
  if (answer) await tellAnswer(ctx, answer);
}

async function afterRun(ctx: TxCtx, event: FeedEvent): Promise<void> {
  if (runs.endedIn(event).kind !== "trigger") return;
  for (const answer of await questions.answersForRun(ctx, event.ref)) await tellAnswer(ctx, answer);
}

export const answerConsumers: Record<string, Consumer> = {
  "triggers.answers": { topic: questions.QUESTIONS, types: ["question.answered"], run: afterAnswer },
  "triggers.asked": { topic: runs.TOPIC, types: ["run.ended"], run: afterRun },
};
