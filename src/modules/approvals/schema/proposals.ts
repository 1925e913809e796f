import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Name } from "../../identity/index.ts";
import { MOST_REASON } from "./policy.ts";

const Time = z.iso.datetime();
const Anything = z.unknown();

export const DraftRule = z.strictObject({
  approval_id: Id.describe("The call it is about."),
  scope: z.enum(["agent", "space"]).default("agent").describe("For its agent alone, or for all."),
  arguments: z.enum(["exact", "any"]).default("exact").describe("With these arguments alone, or with whichever."),
  expires: z.string().max(40).optional().describe("30m, 2h, 7d or ISO time; left out for ever."),
});
export type DraftRule = z.infer<typeof DraftRule>;
export const Drafted = z.object({ rule: Anything, words: z.string() });
export type Drafted = z.infer<typeof Drafted>;

export const ProposeRule = z.strictObject({
  rule: Anything.describe("{tool, server?, mount?, agent?, hint?, when?, decision, reason?, expires_at?}, or its text"),
  reason: z.string().min(1).max(MOST_REASON).describe("Why, for the people who decide."),
});
export type ProposeRule = z.infer<typeof ProposeRule>;

export const ProposalState = z.enum(["pending", "approved", "rejected", "withdrawn"]);
export type ProposalState = z.infer<typeof ProposalState>;

export const Proposal = z.object({
  id: Id,
  digest: z.string().describe("Of the rule. Who decides names it."),
  rule: Anything,
  words: z.string(),
  reason: z.string().describe("In the words of who proposes."),
  proposed_by: Name,
  proposed_at: Time,
  state: ProposalState,
  decided_by: Name.nullable(),
  decided_at: Time.nullable(),
  version: z.int().nullable().describe("Of the policy that it became part of."),
});
export type Proposal = z.infer<typeof Proposal>;

export const ListProposals = z.strictObject({
  limit: z.int().min(1).max(100).default(20).describe("At most so many."),
  before: Id.optional().describe("The next of the last page."),
});
export type ListProposals = z.infer<typeof ListProposals>;
export const ProposalList = z.object({ proposals: z.array(Proposal), next: Id.nullable() });
export type ProposalList = z.infer<typeof ProposalList>;

export const DecideProposal = z.strictObject({
  id: Id,
  digest: z.string().max(64).describe("As you were shown it."),
  decision: z.enum(["accept", "reject"]),
});
export type DecideProposal = z.infer<typeof DecideProposal>;
