import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, repeated, text } from "../core/command.ts";
import { duration, waitOf } from "../core/duration.ts";
import { typedText } from "../core/io.ts";
import { Patience } from "../core/patience.ts";
import type { Output } from "../core/tool-types.ts";
import { indented } from "../core/whole-text.ts";

type Outcome = Output<"question_wait">;

export const ask = defineCommand({
  examples: [
    "ask 'Which city do we start in?' --option Prague --option Brno",
    "ask 'May the budget grow?' --blocking --priority high --context 'Two offers are above it.' --wait",
  ],
  details:
    "Returns at once, and the answer comes as mail. With --wait it prints the answer: exit code 0 when there is one, 1 when the question is over without, or the time is up.",
  positionals: { question: { required: true, rest: true, description: "what to ask, or - for stdin" } },
  options: {
    context: text("TEXT", "why it is needed"),
    priority: text("P", "high, medium or low", { choices: ["high", "medium", "low"] }),
    blocking: flag("work waits for it"),
    option: repeated("TEXT", "something to choose; may be repeated"),
    options_only: flag("nothing but the options is an answer"),
    default: text("TEXT", "to go on with if nobody answers, where the space allows it"),
    expires: text("TIME", "how long an answer is waited for: 30m, 2h, 3d"),
    wait: flag("wait for the answer"),
    timeout: text("TIME", "with --wait: how long; for ever if left out"),
    ...ACTING_OPTIONS,
  },
  async run(cli, { question, context, priority, blocking, option, options_only, expires, wait, timeout, ...rest }) {
    const { default: fallback, ...as } = rest;
    const args = {
      question: await typedText(cli.io, question),
      blocking,
      options_only,
      context,
      priority,
      options: option.length > 0 ? option : undefined,
      default: fallback,
      expires_seconds: expires === undefined ? undefined : Math.ceil(duration("--expires", expires) / 1000),
    };
    const wait_ms = waitOf("--timeout", timeout);
    const added = await callAs(cli, as, "add_question", args);
    const ids = [added.question_id];
    if (!wait) return cli.out.result(added, () => `Asked, as question ${added.question_id}.`, ids);
    cli.out.note("Waiting for the answer. Ctrl-C ends it.");
    const outcome = await answerTo(cli, as, added.question_id, wait_ms);
    cli.io.exitCode = outcome.answer === null ? 1 : 0;
    await cli.out.result(outcome, () => shown(outcome), ids);
  },
});

const answerTo = (cli: Cli, as: As, question_id: string, wait_ms: number): Promise<Outcome> =>
  new Patience({ wait_ms, patient: true }).until(
    (wait_seconds) => callAs(cli, { ...as, start: false }, "question_wait", { question_id, wait_seconds }),
    ({ state }) => state !== "open",
  );

function shown({ question_id, state, answer, answered_by, via }: Outcome): string {
  if (answer === null) return `Question ${question_id} has no answer: it is ${state.replace("_", " ")}.`;
  const who = via === "default" ? "nobody in time: the default" : visibleLine(answered_by ?? "a person");
  return `Answered by ${who}:\n${indented(answer)}`;
}
