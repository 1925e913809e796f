import { hash } from "node:crypto";
import { type Ctx, has, PEOPLE, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import { page, startOf } from "../../../pages.ts";
import { readableJson } from "../../../readable-json.ts";
import { parseTime } from "../../../times.ts";
import { visible } from "../../../visible.ts";
import { ownHolder } from "../../identity/index.ts";
import { answer, raise, takeBack } from "../../notices/index.ts";
import type {
  DecideProposal,
  Drafted,
  DraftRule,
  ListProposals,
  Proposal,
  ProposalList,
  ProposalState,
  ProposeRule,
  Rule,
} from "../schema.ts";
import * as store from "../store.ts";
import type { StatedProposalRow } from "../tables.ts";
import { canonical } from "./canonical.ts";
import { givenRule } from "./checking.ts";
import { ANY_TOOL } from "./evaluating.ts";
import { tellProposed, tellSettled } from "./events.ts";
import { withRule } from "./placing.ts";
import { currentDocument, write } from "./policies.ts";
import { PROPOSALS_DECIDED_WITH, rowOf } from "./wire.ts";
import { ruleWords } from "./words.ts";

/** More of one proposer are not read, they are noise. */
const MOST_OPEN = 20;

/** The rule by which a call like this one would be allowed from now on: nobody has it until it was proposed and accepted. */
export async function draft(ctx: Ctx, { approval_id, scope, arguments: which, expires }: DraftRule): Promise<Drafted> {
  const { agent, server, mount, tool, arguments: given, covers } = await rowOf(ctx, approval_id);
  if (which === "exact" && covers === "preview")
    throw new ParleyError(
      "INVALID_ARGUMENT",
      "Its client shows only a part of the arguments: no rule can be made of them.",
    );
  if (tool === ANY_TOOL)
    throw new ParleyError(
      "INVALID_ARGUMENT",
      `Its tool is called ${ANY_TOOL}, which a rule says of every tool: no rule can be made of this call alone.`,
    );
  const rule: Rule = {
    ...{ tool, server },
    // Under the same name another agent, or the same one tomorrow, may have another program.
    ...(mount !== "" && { mount }),
    ...(scope === "agent" && { agent }),
    ...(which === "exact" && { when: { "": { is: JSON.parse(given) } } }),
    decision: "allow",
    ...(expires !== undefined && { expires_at: new Date(parseTime(ctx, expires, { what: "expires" })).toISOString() }),
  };
  return { rule, words: ruleWords(rule) };
}

/** Asks people for a rule. An agent's is the agent's; a person's is the hub's, so that the same person may accept it. */
export const propose = (ctx: Ctx, { rule: given, reason }: ProposeRule): Promise<Proposal> =>
  transact(ctx, async (ctx) => {
    const rule = givenRule(given);
    withRule(await currentDocument(ctx), rule);
    const { principal_id: proposer_id, name } = await ownHolder(ctx);
    if ((await store.countOpenProposalsOf(ctx.tx, { space_id: ctx.tx.space_id, proposer_id })) >= MOST_OPEN)
      throw new ParleyError("TOO_MANY_APPROVALS", `${MOST_OPEN} of your proposals wait for a person already.`);
    const words = { rule: JSON.stringify(rule), reason };
    const digest = hash("sha256", `parley-policy-v1\n${canonical({ space: ctx.tx.space_id, rule })}`);
    const notice = {
      ...{ key: `policy ${ctx.tx.takeId()}`, kind: "policy", tool: PROPOSALS_DECIDED_WITH, digest },
      ...proposalCard({ ...words, proposed_by: name }),
      choices: ["accept", "reject"],
    };
    const raised_by = has(ctx.actor, ...PEOPLE) ? undefined : proposer_id;
    const id = parseId((await raise(ctx, notice, raised_by)).id);
    await store.insertProposal(ctx.tx, { id, proposer_id, ...words, digest, accepted: null, version: null });
    await tellProposed(ctx, id, proposer_id);
    return wire(await proposalOf(ctx, formatId(id)));
  });

export function proposalCard({
  rule,
  reason,
  proposed_by,
}: Pick<StatedProposalRow, "rule" | "reason" | "proposed_by">) {
  const checked: Rule = JSON.parse(rule);
  const text = `${ruleWords(checked)}\n\n${visible(readableJson(checked))}\n\n${proposed_by} says why:\n${visible(reason)}`;
  return { title: `${proposed_by} proposes a rule for ${checked.tool.slice(0, 80)}`, text };
}

/** A person accepts a rule, which makes the next version of the policy, or rejects it. Once. */
export const decideProposal = (ctx: Ctx, { id, digest, decision }: DecideProposal): Promise<Proposal> =>
  transact(ctx, async (ctx) => {
    const row = await proposalOf(ctx, id);
    if (stateOf(row) !== "pending") throw over(row);
    if (row.digest !== digest)
      throw new ParleyError("NOTICE_CHANGED", "What you were shown is not what this proposes. Look at it again.");
    if (!(await answer(ctx, row.id, { by: ctx.actor.principal_id, choice: decision }))) throw over(row);
    const version = decision === "accept" ? await accept(ctx, row) : null;
    await store.saveProposal(ctx.tx, { id: row.id, accepted: decision === "accept" ? 1 : 0, version });
    const settled = await proposalOf(ctx, id);
    await tellSettled(ctx, { ...row, state: stateOf(settled) });
    return wire(settled);
  });

async function accept(ctx: TxCtx, { rule, proposed_by, reason }: StatedProposalRow): Promise<number> {
  return write(ctx, withRule(await currentDocument(ctx), JSON.parse(rule)), `${proposed_by}: ${reason}`);
}

/** What was proposed, newest first. */
export async function listProposals(ctx: Ctx, { limit, before }: ListProposals): Promise<ProposalList> {
  const where = { space_id: ctx.actor.space_id, before_id: startOf(before), limit: limit + 1 };
  const { shown, next } = page(await store.listProposals(ctx.db, where), limit, ({ id }) => id);
  return { proposals: shown.map(wire), next };
}

async function proposalOf(ctx: Ctx, id: string): Promise<StatedProposalRow> {
  const row = await store.findProposal(ctx.db, { space_id: ctx.actor.space_id, id: parseId(id) });
  if (row) return row;
  throw new ParleyError("PROPOSAL_NOT_FOUND", `There is no proposal ${id} here. policy_proposals shows what there is.`);
}

function stateOf({ accepted, notice_state }: StatedProposalRow): ProposalState {
  if (accepted === null) return notice_state === "withdrawn" ? "withdrawn" : "pending";
  return accepted === 1 ? "approved" : "rejected";
}

/** Who proposed is gone. What was decided stays. */
export async function withdrawProposals(ctx: TxCtx, proposer_id: string): Promise<void> {
  for (const row of await store.listOpenProposalsOf(ctx.tx, { space_id: ctx.tx.space_id, proposer_id }))
    if (await takeBack(ctx, row.id, proposer_id)) await tellSettled(ctx, { ...row, state: "withdrawn" });
}

function wire(row: StatedProposalRow): Proposal {
  const { id, digest, reason, proposed_by, settled_by_name: decided_by, settled_at: decided_at, version } = row;
  const rule: Rule = JSON.parse(row.rule);
  const proposal = { rule, words: ruleWords(rule), reason, proposed_by, proposed_at: timeOfId(id) };
  return { id: formatId(id), digest, ...proposal, state: stateOf(row), decided_by, decided_at, version };
}

function over(row: StatedProposalRow): ParleyError {
  const { state, decided_by, decided_at } = wire(row);
  if (state === "withdrawn")
    return new ParleyError("NOTICE_CLOSED", "This proposal was taken back: it can no longer be decided.", {
      details: { state },
    });
  return new ParleyError("ALREADY_DECIDED", `${decided_by} has ${state} it already.`, {
    details: { state, decided_by, decided_at },
  });
}
