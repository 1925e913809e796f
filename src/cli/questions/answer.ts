import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";
import { typedText } from "../core/io.ts";
import { openOne } from "../core/short-ids.ts";
import type { Output } from "../core/tool-types.ts";
import { indented, wholeText } from "../core/whole-text.ts";

type Question = Output<"get_pending_questions">["questions"][number];

export const answer = defineCommand({
  people: true,
  examples: ["answer", "answer 1763366400000000 Prague", "answer latest 'Only if it stays below 20k.'"],
  details:
    "Without anything it lists what is asked: what work waits for first. The first answer counts; whoever asked gets it by itself.",
  positionals: {
    id: { description: "the question's id, as short as names one, or latest" },
    text: { rest: true, description: "the answer: one of its options or anything else, or - for stdin" },
  },
  async run(cli, { id: given, text: words }) {
    const { questions } = await cli.call("get_pending_questions", {});
    if (given === undefined) return list(cli, questions);
    const newest_first = questions.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const none = new Failure("QUESTION_NOT_FOUND", "Nothing is asked.");
    const id = openOne(given, newest_first, { what: "open question", none });
    if (words.length === 0) {
      const question = questions.find((one) => one.id === id);
      if (question) return list(cli, [question]);
      throw invalid(`Say what the answer to question ${visibleLine(id)} is.`);
    }
    const answer = await typedText(cli.io, words);
    const submitted = await cli.call("submit_answers", { answers: [{ question_id: id, answer }] });
    refuse(submitted, id);
    const more = submitted.resumed ? " The work goes on." : "";
    await cli.out.result(submitted, () => `Answered.${more}`, submitted.answered);
  },
});

/** One answer was given: if it was not taken, that is why. */
function refuse({ not_found, already_answered, withdrawn }: Output<"submit_answers">, id: string): void {
  const shown = visibleLine(id);
  if (not_found.length > 0) throw new Failure("QUESTION_NOT_FOUND", `There is no question ${shown} here.`);
  if (already_answered.length > 0)
    throw new Failure("ALREADY_DECIDED", `Somebody has answered question ${shown} already.`);
  if (withdrawn.length > 0)
    throw new Failure("NOTICE_CLOSED", `Question ${shown} was withdrawn: it needs no answer any more.`);
}

async function list(cli: Cli, questions: readonly Question[]): Promise<void> {
  await cli.out.result(
    { questions },
    () => (questions.length === 0 ? "Nothing is asked." : questions.map((one) => shown(cli, one)).join("\n\n")),
    questions,
  );
}

/** What its answer is waited for by. */
function waitingWords({ blocking, waiting }: Question): string[] {
  if (waiting) return [`the workflow waits for it${waiting.phase === null ? "" : ` in ${visibleLine(waiting.phase)}`}`];
  return blocking ? ["work waits for it"] : [];
}

function shown({ out }: Cli, question: Question): string {
  const { id, asked_by, asked_at, priority, options, options_only, context, asker_ended } = question;
  const facts = [
    visibleLine(id),
    `from ${visibleLine(asked_by)}${asker_ended ? " (no longer there)" : ""}`,
    out.time(asked_at),
    `${priority} priority`,
    ...waitingWords(question),
  ];
  const choices = options && `${options_only ? "One of" : "For example"}: ${options.map(visibleLine).join(" · ")}`;
  return [
    out.dim(facts.join("  ")),
    out.bold(indented(question.question)),
    ...wholeText(context),
    ...(choices ? [`  ${choices}`] : []),
  ].join("\n");
}
