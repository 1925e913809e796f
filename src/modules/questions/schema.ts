import { z } from "zod";
import { Id } from "../../ids.ts";
import { Name } from "../identity/index.ts";

const MOST_ANSWERS = 100;
export const MOST_LISTED = 100;
const MOST_QUESTION = 2000;
const MOST_CONTEXT = 4000;
export const MOST_ANSWER = 8000;
const MOST_OPTION = 100;
const MOST_OPTIONS = 12;
const MOST_EXPIRY_SECONDS = 30 * 24 * 3600;

const Time = z.iso.datetime();

const textField = (what: string, most: number) =>
  z
    .string()
    .max(most, `${what} has at most ${most} characters`)
    .refine((text) => text.trim() !== "", `${what} is empty`);

const PRIORITIES = ["high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** How an answer came. */
const Via = z.enum(["submit_answers", "mail", "elicitation", "default"]);
export type Via = z.infer<typeof Via>;

export const State = z.enum(["open", "answered", "no_response", "withdrawn", "dismissed"]);
export type State = z.infer<typeof State>;

export const AddQuestion = z.strictObject({
  question: textField("a question", MOST_QUESTION),
  context: z
    .string()
    .max(MOST_CONTEXT, `a context has at most ${MOST_CONTEXT} characters`)
    .default("")
    .describe("Why."),
  // `blocking` among them is an older spelling of the next field.
  priority: z
    .enum([...PRIORITIES, "blocking"])
    .default("medium")
    .describe("How much it matters."),
  blocking: z.boolean().default(false).describe("Work waits for it."),
  options: z
    .array(textField("an option", MOST_OPTION))
    .min(1)
    .max(MOST_OPTIONS)
    .refine((options) => new Set(options).size === options.length, "an option is there twice")
    .optional()
    .describe("To choose from."),
  options_only: z.boolean().default(false).describe("No other answer is taken."),
  default: textField("a default", MOST_ANSWER).optional().describe("If nobody answers in time."),
  expires_seconds: z.int().min(1).max(MOST_EXPIRY_SECONDS).optional().describe("How long to wait for it."),
});
export type AddQuestion = z.infer<typeof AddQuestion>;

export const Added = z.object({
  question_id: Id,
  state: State,
  priority: z.enum(PRIORITIES),
  blocking: z.boolean(),
  expires_at: Time.nullable(),
});
export type Added = z.infer<typeof Added>;

export const Question = z.object({
  id: Id,
  question: z.string(),
  context: z.string().describe("Why this is needed."),
  asked_by: Name,
  asked_at: Time,
  asker_ended: z.boolean().describe("Who asked is no longer there: it is answered for its successor."),
  priority: z.enum(PRIORITIES),
  blocking: z.boolean(),
  waiting: z
    .object({ checkpoint_id: Id, phase: z.string().nullable() })
    .nullable()
    .describe("Where the workflow is paused until it is over."),
  options: z.array(z.string()).nullable(),
  options_only: z.boolean(),
  default: z.string().nullable(),
  expires_at: Time.nullable(),
  state: State,
  answer: z.string().nullable(),
  answered_at: Time.nullable(),
  answered_by: Name.nullable().describe("The person, where that is known."),
  handed_in_by: Name.nullable().describe("Who handed in what a person said."),
  via: Via.nullable().describe("How the answer came; `default` is none of a person."),
  late: z.boolean().describe("The answer came after its time was over."),
});
export type Question = z.infer<typeof Question>;

const limit = z.int().min(1).max(MOST_LISTED).default(MOST_LISTED).describe("At most so many.");
export const ListPending = z.strictObject({ limit });
export type ListPending = z.infer<typeof ListPending>;
export const PendingList = z.object({ questions: z.array(Question), count: z.int().describe("Of all that are open.") });
export type PendingList = z.infer<typeof PendingList>;

export const ListQuestions = z.strictObject({ limit, before: Id.optional().describe("The next of the last page.") });
export type ListQuestions = z.infer<typeof ListQuestions>;
export const QuestionList = z.object({
  questions: z.array(Question),
  next: Id.nullable().describe("Pass it as before for the next page; null at the end."),
});
export type QuestionList = z.infer<typeof QuestionList>;

const answer = textField("an answer", MOST_ANSWER);
/** What is no id of a question comes back as not found, whatever it is. */
const anyId = z.string().max(200);
const Answers = z
  .union([
    z
      .array(z.strictObject({ question_id: anyId, answer }))
      .min(1)
      .max(MOST_ANSWERS),
    z
      .record(anyId, answer)
      .refine(
        (map) => Object.keys(map).length > 0 && Object.keys(map).length <= MOST_ANSWERS,
        `there are 1 to ${MOST_ANSWERS} answers`,
      ),
  ])
  .describe("[{question_id, answer}] or {question_id: answer}.");
export type Answers = z.infer<typeof Answers>;

export const SubmitAnswers = z.strictObject({ answers: Answers });
export type SubmitAnswers = z.infer<typeof SubmitAnswers>;
export const SubmitToCheckpoint = SubmitAnswers.extend({
  checkpoint_id: Id.optional().describe("Of questions_pending: what it still waits for is reported."),
});
export type SubmitToCheckpoint = z.infer<typeof SubmitToCheckpoint>;

export const Submitted = z.object({
  answered: z.array(Id),
  not_found: z.array(z.string()),
  already_answered: z.array(Id).describe("Somebody was first."),
  withdrawn: z.array(Id).describe("Taken back or dismissed: nobody needs the answer."),
  remaining: z.int().describe("How many are still open: of the checkpoint where there is one, else here."),
  resumed: z.boolean().describe("These answers resumed the checkpoint."),
  checkpoint_id: Id.nullable(),
});
export type Submitted = z.infer<typeof Submitted>;

export const QuestionRef = z.strictObject({ question_id: Id });
export type QuestionRef = z.infer<typeof QuestionRef>;
export const Closed = z.object({ question_id: Id, state: State });
export type Closed = z.infer<typeof Closed>;

const wait_seconds = z.int().min(0).max(300).default(25);
export const WaitForQuestion = z.strictObject({ question_id: Id, wait_seconds });
export type WaitForQuestion = z.infer<typeof WaitForQuestion>;

export const Outcome = Question.pick({
  question: true,
  state: true,
  answer: true,
  answered_by: true,
  via: true,
}).extend({
  question_id: Id,
});
export type Outcome = z.infer<typeof Outcome>;

const MOST_PHASE = 100;
const MOST_OUTPUT = 100_000;
export const CheckWorkflow = z.strictObject({
  phase: z.string().min(1).max(MOST_PHASE).optional().describe("The phase that begins."),
  output: z.string().max(MOST_OUTPUT).optional().describe("What an agent said last."),
});
export type CheckWorkflow = z.infer<typeof CheckWorkflow>;

/** Why a workflow pauses, in the seed's words. */
export const Reason = z.enum(["immediate", "phase_boundary", "explicit_request", "threshold"]);
export type Reason = z.infer<typeof Reason>;

export const Checked = z.object({
  pause: z.boolean(),
  reason: Reason.optional(),
  checkpoint_id: Id.optional().describe("For checkpoint_wait."),
  questions: z.array(Question).describe("Those it waits for, else those that are open."),
  phase: z.string().nullable().describe("The phase this workflow is in."),
});
export type Checked = z.infer<typeof Checked>;

export const CheckpointState = z.enum(["waiting", "resumed", "withdrawn"]);
export type CheckpointState = z.infer<typeof CheckpointState>;

export const WaitForCheckpoint = z.strictObject({ checkpoint_id: Id, wait_seconds });
export type WaitForCheckpoint = z.infer<typeof WaitForCheckpoint>;
export const WaitedCheckpoint = z.object({
  state: CheckpointState.describe("Withdrawn: all its questions were taken back. Go on, as when resumed."),
  answers: z.array(Outcome),
});
export type WaitedCheckpoint = z.infer<typeof WaitedCheckpoint>;
