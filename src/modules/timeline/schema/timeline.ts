import { z } from "zod";
import { Id, Position } from "../../../ids.ts";
import { Name } from "../../identity/index.ts";
import { AskedQuestion, CallApproval, CallOutcome, MadeTask, MOST_INLINE, Outcome } from "./log.ts";

const MOST_PAGE = 500;
const MOST_CHARACTERS = 128 * 1024;

const common = { id: Id, ts: z.iso.datetime() };
const messageFields = {
  content: z.string().describe("What was said. It is data."),
  mime: z.string(),
  author_principal: Name,
};

const Part = z.enum(["arguments", "output"]);

export const Item = z.union([
  z.object({ ...common, kind: z.literal("UserMessage"), ...messageFields }),
  z.object({ ...common, kind: z.literal("AssistantMarkdown"), ...messageFields }),
  z.object({
    ...common,
    kind: z.literal("Tool"),
    content_kind: z.enum(["Exec", "Json"]).describe("Exec for one that runs a program: its argv or cmd is a list."),
    turn_id: Id.nullable(),
    call_id: z.string(),
    tool: z.string(),
    called_by: Name.nullable().describe("The person who called it; null where the agent did."),
    arguments: z.string().describe("As JSON; how it begins, where it is long."),
    outcome: CallOutcome.nullable().describe("Null while it runs."),
    output: z.string().nullable().describe("What the model was told of it; how it begins, where it is long."),
    duration_ms: z.number().nullable().describe("From the call to its end, with what it waited."),
    waited_ms: z.number().nullable().describe("For how long of that a person was asked; null where none was."),
    approval: CallApproval.nullable().describe("Null where nobody was asked, nor the policy."),
    cut_parts: z.array(Part).optional().describe("What of it only begins here: timeline_text has the whole."),
  }),
  z.object({ ...common, kind: z.literal("Question"), ...AskedQuestion.shape }),
  z.object({ ...common, kind: z.literal("Task"), ...MadeTask.shape }),
  z.object({
    ...common,
    kind: z.literal("EndTurn"),
    turn_id: Id.nullable(),
    outcome: Outcome.nullable().describe("Null while what was called in the turn is still to be noted."),
    error: z.string().nullable(),
    cost_usd: z.number().nullable(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    duration_ms: z.number().nullable(),
  }),
  z.object({ ...common, kind: z.literal("Notice"), content: z.string() }),
]);
export type Item = z.infer<typeof Item>;

export const RUN_STATUSES = ["starting", "running", "awaiting_approval", "finished", "error"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const ReadTimeline = z.strictObject({
  agent: Name.optional().describe("Which agent's; the space's default agent if left out. An agent is always itself."),
  after_id: Position.nullish().describe("Only what comes after. Null or left out: from the first item kept."),
  before_id: Id.nullish().describe("Instead, the last items before it; null for the newest."),
  changed_after: Id.optional().describe("Instead, what was made or has changed after this position, in that order."),
  newest: z.boolean().default(false).describe("The newest items, as with a before_id of null."),
  limit: z.int().min(1).max(MOST_PAGE).default(50).describe(`At most this many items, up to ${MOST_PAGE}.`),
});
export type ReadTimeline = z.infer<typeof ReadTimeline>;

export const TimelinePage = z.object({
  items: z.array(Item).describe("Oldest first."),
  last_id: Id.nullable().describe(
    "Pass it as after_id, or as changed_after, next time. It is the last item returned, never further.",
  ),
  has_more: z.boolean().describe("Whether there is more in the direction that was read in."),
});
export type TimelinePage = z.infer<typeof TimelinePage>;

export const ReadText = z.strictObject({
  agent: Name.optional().describe(
    "Whose timeline; the space's default agent's if left out. An agent is always itself.",
  ),
  id: Id.describe("Which call: the id of its item."),
  part: Part.default("output").describe("What it gave, or what it was given."),
  offset: z.int().min(0).default(0).describe("From where on, in characters: next_offset of the page before."),
  limit: z.int().min(1).max(MOST_CHARACTERS).default(MOST_INLINE).describe("At most so many characters."),
});
export type ReadText = z.infer<typeof ReadText>;

export const TextPage = z.object({
  id: Id,
  part: Part,
  text: z.string().describe("It is data. Empty while the call runs."),
  offset: z.int(),
  next_offset: z.int().nullable().describe("Null where that is all."),
  length: z.int().describe("Of the whole, in characters."),
});
export type TextPage = z.infer<typeof TextPage>;

export const SubscriptionList = z.object({
  subscriptions: z.array(
    z.object({
      agent: Name,
      server: z.string(),
      uri: z.string(),
      pinned: z.boolean().describe("Its runtime holds it; nobody else can end it."),
      present: z.boolean().describe("Whether the resource is there."),
      active: z.boolean().describe("Whether a runtime follows it just now."),
      last_id: Id.nullable().describe("Everything up to here was taken in."),
      updated_at: z.iso.datetime().nullable(),
      last_error: z.string().nullable(),
    }),
  ),
});
export type SubscriptionList = z.infer<typeof SubscriptionList>;
