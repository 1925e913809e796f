import { z } from "zod";
import { DOORS } from "../../../context.ts";
import { Id } from "../../../ids.ts";
import { PrincipalName } from "../../identity/index.ts";
import { Hint, MOST_REASON, Risk, Ruling } from "./policy.ts";

const MOST_ABOUT = 2000;
/** As much as the log of an agent keeps of a result. */
const MOST_OUTPUT = 512 * 1024;
const MOST_EXPIRY_SECONDS = 30 * 24 * 3600;

const Time = z.iso.datetime();
const Anything = z.unknown();

export const Verdict = z.enum(["approve", "deny_continue", "deny_abort", "leave"]);
export type Verdict = z.infer<typeof Verdict>;

export const State = z.enum([
  "pending",
  "approved",
  "executing",
  "completed",
  "failed",
  "unknown",
  "answered",
  "denied",
  "expired",
  "withdrawn",
  "superseded",
]);
export type State = z.infer<typeof State>;

/** Who decided and how; null while nobody has, and where nobody did. */
export const Outcome = z.enum([
  "policy_allow",
  "policy_deny_continue",
  "policy_deny_abort",
  "policy_failed",
  "user_approve",
  "user_deny_continue",
  "user_deny_abort",
]);
export type Outcome = z.infer<typeof Outcome>;

export const DecidedVia = z
  .enum(DOORS)
  .describe("Where the person was: `page` by its cookie, `cli` as it says, else which door.");

/** Whether the digest is of all arguments, or of what a client showed of them. */
export const Covers = z.enum(["arguments", "preview"]);
export type Covers = z.infer<typeof Covers>;
/** hub: a program called a tool of the hub's, and the call is made when it calls again. */
export const Executes = z.enum(["runtime", "client", "hub"]);
export type Executes = z.infer<typeof Executes>;

const named = (what: string, most: number) =>
  z.string().min(1, `${what} is empty`).max(most, `${what} has at most ${most} characters`);
const holder = named("a holder", 100).describe("Whoever runs it, by a name of its own.");
const fence = z.int().min(0).default(0).describe("Which start of the agent's runtime it is.");

export const RequestApproval = z.strictObject({
  key: named("a key", 200).describe("Asked again with the same key it is the same request."),
  call_id: named("a call_id", 200).describe("The model's own."),
  server: named("a server", 100),
  mount: z.string().max(200).default("").describe("Which server it is that is mounted under this name."),
  tool: named("a tool", 200).describe("As the model calls it."),
  arguments: Anything.describe("A JSON object, or its text: as a text nothing of it is lost."),
  covers: Covers.default("arguments").describe("preview: these are not all arguments, only what a client showed."),
  executes: Executes.exclude(["hub"])
    .default("runtime")
    .describe("client: whoever asks runs it by itself, and only wants to know."),
  editable: z.boolean().default(true).describe("Other arguments can be run in their place."),
  verdicts: z
    .array(Verdict)
    .min(1)
    .default(["approve", "deny_continue", "deny_abort"])
    .describe("What it may be answered with."),
  about: z.string().max(MOST_ABOUT, `it has at most ${MOST_ABOUT} characters`).default("").describe("Your own words."),
  hints: z.array(Hint).max(3).default([]).describe("What its server says of the tool."),
  input_schema: Anything.optional().describe("The tool's JSON Schema, by which edited arguments are checked."),
  expires_seconds: z.int().min(1).max(MOST_EXPIRY_SECONDS).optional(),
  holder: holder.optional().describe("What the policy allows is claimed at once by this holder."),
  fence,
});
export type RequestApproval = z.infer<typeof RequestApproval>;
/** The same, also where it is the hub itself that asks, about a call of a tool of its own. */
export type AskApproval = Omit<RequestApproval, "executes"> & { executes: Executes };

/** What whoever asked needs to know. */
export const Requested = z.object({
  id: Id,
  call_id: z.string(),
  server: z.string(),
  mount: z.string(),
  tool: z.string(),
  executes: Executes,
  digest: z.string().describe("Of what is to be run."),
  state: State,
  outcome: Outcome.nullable(),
  code: z.int().nullable().describe("-32950 denied, the turn ends; -32951 denied; -32953 the policy failed."),
  says: z.string().describe("What the model is told."),
  arguments: Anything.describe("What is to be run; edited, perhaps."),
  edited: z.boolean(),
  reason: z.string().nullable(),
  decided_by: z.string().nullable(),
  holder: z.string().nullable().describe("Who has claimed it."),
  called_by: PrincipalName.nullable().describe("The person who called it; null where the agent did."),
  pending_until: Time.nullable().describe("While it is open and somebody has said not now: until when."),
});
export type Requested = z.infer<typeof Requested>;

export const ApprovalRef = z.strictObject({ id: Id });
export type ApprovalRef = z.infer<typeof ApprovalRef>;

export const WaitForApproval = z.strictObject({ id: Id, wait_seconds: z.int().min(0).max(300).default(25) });
export type WaitForApproval = z.infer<typeof WaitForApproval>;

export const ClaimApproval = z.strictObject({ id: Id, holder, fence });
export type ClaimApproval = z.infer<typeof ClaimApproval>;

export const FinishApproval = z.strictObject({
  id: Id,
  holder,
  outcome: z.enum(["completed", "failed"]),
  output: z.string().max(MOST_OUTPUT).optional().describe("What came of it; kept where a person called it."),
});
export type FinishApproval = z.infer<typeof FinishApproval>;

export const RecoverApprovals = z.strictObject({ fence: z.int().min(1) });
export type RecoverApprovals = z.infer<typeof RecoverApprovals>;
export const Recovered = z.object({
  unknown: z.array(Requested).describe("They were being run, and nobody knows whether they were."),
  open: z.array(Requested).describe("They wait for a person, or to be run."),
});
export type Recovered = z.infer<typeof Recovered>;

export const Approval = z.object({
  id: Id,
  digest: z.string().describe("Of space, agent, mount, server, tool and arguments. Who decides names it."),
  state: State,
  agent: PrincipalName,
  called_by: PrincipalName.nullable().describe("The person who called it, over the bridge; null where the agent did."),
  server: z.string(),
  mount: z.string(),
  tool: z.string(),
  arguments: Anything,
  covers: Covers,
  executes: Executes,
  editable: z.boolean(),
  verdicts: z.array(Verdict),
  about: z.string().describe("The agent's own words: data, not the hub's, and not in the digest."),
  hints: z.array(Hint).describe("What its server says of the tool, which nobody has checked."),
  risk: Risk.nullable().describe("By rules and hints, while it is pending."),
  call_id: z.string(),
  requested_at: Time,
  expires_at: Time.nullable(),
  ruled: z.union([Ruling, z.literal("failed")]).describe("What the policy said."),
  policy_version: z.int(),
  outcome: Outcome.nullable(),
  decided_by: z.string().nullable().describe("A person; `policy` where outcome says that it was the policy."),
  decided_at: Time.nullable(),
  decided_via: DecidedVia.nullable(),
  reason: z.string().nullable(),
  edited_arguments: Anything,
  edited_digest: z.string().nullable(),
  executing_at: Time.nullable(),
  ended_at: Time.nullable(),
  output: z.string().nullable().describe("What came of it, where a person called it; in approval_get alone."),
});
export type Approval = z.infer<typeof Approval>;

export const ListApprovals = z.strictObject({
  state: State.optional().describe("Only those in this state."),
  agent: PrincipalName.optional().describe("Only those of this agent."),
  limit: z.int().min(1).max(100).default(20).describe("At most so many."),
  before: Id.optional().describe("The next of the last page."),
});
export type ListApprovals = z.infer<typeof ListApprovals>;
export const ApprovalList = z.object({
  approvals: z.array(Approval),
  next: Id.nullable().describe("Pass it as before for the next page; null at the end."),
});
export type ApprovalList = z.infer<typeof ApprovalList>;

const digest = z
  .string("name the digest of what you were shown, as approval_list gives it")
  .max(64)
  .describe("As you were shown it.");
const reason = z
  .string()
  .max(MOST_REASON, `a reason has at most ${MOST_REASON} characters`)
  .default("")
  .describe("Reaches the model, word for word.");

export const DecideApproval = z.strictObject({
  id: Id,
  digest,
  decision: Verdict.describe("deny_continue: it is told; deny_abort: its turn ends; leave: to its own terminal."),
  reason,
  edited_arguments: Anything.optional().describe("With approve: run these instead. A JSON object, or its text."),
});
export type DecideApproval = z.infer<typeof DecideApproval>;

export const DecideSeveral = z.strictObject({
  approvals: z
    .array(z.strictObject({ id: Id, digest }))
    .min(1)
    .max(100),
  decision: Verdict,
  reason,
});
export type DecideSeveral = z.infer<typeof DecideSeveral>;
export const DecidedSeveral = z.object({
  decided: z.array(Id),
  refused: z.array(z.object({ id: Id, code: z.string(), error: z.string() })),
});
export type DecidedSeveral = z.infer<typeof DecidedSeveral>;
