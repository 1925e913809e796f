import { z } from "zod";
import { Id } from "../../../ids.ts";
import { ApprovalOutcome, ApprovalState, DecidedVia } from "../../approvals/index.ts";
import { QuestionState } from "../../questions/index.ts";

/** A text that is longer is kept beside the log, and shown by its beginning. */
export const MOST_INLINE = 16 * 1024;
/** Of what a tool gave, so much is kept at most: no model reads more. */
const MOST_OUTPUT = 512 * 1024;

const OUTCOMES = ["finished", "failed", "aborted", "interrupted"] as const;
export const Outcome = z.enum(OUTCOMES).describe("interrupted: its runtime went away; aborted: a person ended it.");
export type Outcome = z.infer<typeof Outcome>;

const CALL_OUTCOMES = ["done", "failed", "aborted", "interrupted", "denied"] as const;
export const CallOutcome = z.enum(CALL_OUTCOMES);
export type CallOutcome = z.infer<typeof CallOutcome>;

const key = z.string().min(1).max(200).describe("The same key again changes nothing.");
const sample = z.int().min(0).describe("Which answer of the model in its turn it was part of.");
const seen_id = Id.nullable()
  .default(null)
  .describe("The newest of what runtime_next gave that was in the model's input.");
const call_id = z.string().min(1).max(200);
const tool = z.string().min(1).max(200);
const count = z.int().min(0);
/** What was used and no entry before said. It is charged with this one. */
const used = {
  cost_usd: z.number().min(0).optional(),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
};

/** What a runtime has to tell of its turn. */
export const NewEvent = z.union([
  z.strictObject({ type: z.literal("TurnStarted"), key }),
  z.strictObject({
    type: z.literal("ModelText"),
    key,
    sample,
    seen_id,
    text: z.string().max(MOST_OUTPUT),
    redirected: z.boolean().describe("It was all the model said, and it was told to use a tool instead."),
    ...used,
  }),
  z.strictObject({
    type: z.literal("ToolCall"),
    key,
    sample,
    seen_id,
    call_id,
    tool,
    arguments: z.string().max(MOST_OUTPUT).describe("A JSON object, as the model wrote it."),
    ...used,
  }),
  z.strictObject({
    type: z.literal("ToolOutput"),
    key,
    call_id,
    tool: tool.optional().describe("Which tool it was, where its turn was over before: a model is told it by that."),
    outcome: CallOutcome,
    output: z.string().max(MOST_OUTPUT),
    approval_id: Id.optional().describe("The approval that you had claimed for it: it ends with this, at once."),
  }),
  z.strictObject({ type: z.literal("Notification"), key, text: z.string().max(MOST_OUTPUT) }),
  z.strictObject({
    type: z.literal("TurnEnded"),
    key,
    outcome: Outcome,
    seen_id,
    error: z.string().max(2000).optional(),
    ...used,
  }),
]);
export type NewEvent = z.infer<typeof NewEvent>;

/** What was asked about a call, and what became of that. */
export const CallApproval = z.object({
  id: Id,
  state: ApprovalState,
  outcome: ApprovalOutcome.nullable().describe("Who decided and how; null while nobody has, and where nobody did."),
  decided_by: z.string().nullable(),
  decided_via: DecidedVia.nullable(),
  reason: z.string().nullable(),
  edited: z.boolean().describe("It was approved with other arguments."),
});
export type CallApproval = z.infer<typeof CallApproval>;

/** What it asked people, and what became of that. */
export const AskedQuestion = z.object({
  question_id: Id,
  question: z.string().describe("How it begins, where it is long."),
  priority: z.string(),
  blocking: z.boolean(),
  state: QuestionState,
  answer: z.string().nullable(),
  answered_by: z.string().nullable(),
});
export type AskedQuestion = z.infer<typeof AskedQuestion>;

/** A task that it made, and how that ended. */
export const MadeTask = z.object({
  task_id: Id,
  channel: z.string(),
  content: z.string().describe("How it begins, where it is long."),
  outcome: z.enum(["done", "cancelled", "dead"]).nullable().describe("Null while it is not over."),
  result: z.string().nullable().describe("What came of it, or why it failed."),
});
export type MadeTask = z.infer<typeof MadeTask>;

/** Of an answer what it has used, of the end of a turn what all of it has. */
export type Used = {
  cost_usd?: number | undefined;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
};

/** What an entry of a log says, by its type. `I` is what an id is: a text outside, a number inside. */
export type LogBody<I> =
  | { type: "UserText"; chat_id: I; author: string; mime: string; content: string }
  | { type: "Resumed"; by: string }
  | { type: "TurnStarted" }
  | ({ type: "ModelText"; sample: number; seen_id: string | null; text: string; redirected: boolean } & Used)
  | ({
      type: "ToolCall";
      sample: number;
      seen_id: string | null;
      call_id: string;
      tool: string;
      content_kind?: "Exec" | "Json";
      arguments: string;
    } & Used)
  /** A person called it: no model is told. */
  | { type: "Called"; call_id: string; tool: string; content_kind: "Exec" | "Json"; arguments: string; by: string }
  /** With `tool` where its turn was over before it came: a model is told it in the next one. */
  | { type: "ToolOutput"; call_id: string; tool?: string | undefined; outcome: CallOutcome; output: string }
  | { type: "Notification"; text: string }
  | { type: "Notice"; text: string }
  | { type: "Yielded" }
  /** `waiting`: how many calls of the turn wait for a person since; null where that is over. */
  | { type: "Approval"; call_id: string; approval: CallApproval; waiting: number | null }
  | ({ type: "Question" } & AskedQuestion)
  | ({ type: "Task" } & MadeTask)
  | ({ type: "TurnEnded"; outcome: Outcome; error?: string | undefined } & Used);

/** An entry of an agent's log, as a runtime reads it back: what a model was told and did, and how each turn ended. */
export type LogEvent = { id: string; turn_id: string | null } & LogBody<string>;

/** Its fields depend on the type; `type` says which they are. */
export const AnyLogEvent = z.looseObject({ id: Id, turn_id: Id.nullable(), type: z.string() });
