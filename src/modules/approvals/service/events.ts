/** What events of approvals and of the policy hold: nobody else looks into their data. */
import { type Ctx, has, ONLOOKERS, type TxCtx } from "../../../context.ts";
import { dataOf, defineEvent, type EventView, type FeedEvent, isAny } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import { self } from "../../identity/index.ts";
import type { Outcome, ProposalState } from "../schema.ts";
import type { ProposalRow, StatedApprovalRow } from "../tables.ts";

export const TOPIC = "approvals";

type CallFacts = Pick<StatedApprovalRow, "server" | "tool" | "state"> & { approval_id: string; agent: string };
type Decided = CallFacts & { outcome: Outcome | null };

const requested = defineEvent<CallFacts>({ topic: TOPIC, type: "approval.requested" });
const ruled = defineEvent<CallFacts>({ topic: TOPIC, type: "approval.ruled" });
const decided = defineEvent<Decided>({ topic: TOPIC, type: "approval.decided" });
const claimed = defineEvent<CallFacts>({ topic: TOPIC, type: "approval.claimed" });
const ended = defineEvent<CallFacts>({ topic: TOPIC, type: "approval.ended" });
const isDecision = isAny<CallFacts>([ruled, decided]);

type About = Pick<StatedApprovalRow, "id" | "agent_id" | "server" | "tool" | "state"> & { agent: string };

const of = ({ agent_id, id }: About) => ({ stream: agent_id, ref: id });

const factsOf = ({ id, agent, server, tool, state }: About): CallFacts => ({
  approval_id: formatId(id),
  ...{ agent, server, tool, state },
});

/** A person is to decide. */
export const tellRequested = (ctx: TxCtx, about: About): Promise<number> =>
  requested.append(ctx, { ...of(about), data: factsOf(about) });

/** The policy has decided by itself; what it decided about has the event's id. */
export const tellRuled = (ctx: TxCtx, about: About): Promise<number> =>
  ruled.append(ctx, { id: about.id, stream: about.agent_id, data: factsOf(about) });

/** A person has, or nobody will. */
export const tellDecided = (ctx: TxCtx, about: About, outcome: Decided["outcome"]): Promise<number> =>
  decided.append(ctx, { ...of(about), data: { ...factsOf(about), outcome } });

export const tellExecuting = (ctx: TxCtx, about: About): Promise<number> =>
  claimed.append(ctx, { ...of(about), data: factsOf(about) });

export const tellEnded = (ctx: TxCtx, about: About): Promise<number> =>
  ended.append(ctx, { ...of(about), data: factsOf(about) });

/** Whether a call was denied, by an event that says what was decided. */
export const isDenial = (event: FeedEvent): boolean => dataOf(event, isDecision).state === "denied";

const policyChanged = defineEvent<{ version: number }>({ topic: TOPIC, type: "policy.changed" });
export const POLICY_CHANGED = policyChanged.type;

type Proposal = { proposal_id: string };
const proposed = defineEvent<Proposal>({ topic: TOPIC, type: "policy.proposed" });
const settled = defineEvent<Proposal & { state: ProposalState }>({ topic: TOPIC, type: "policy.settled" });

/** The version has the event's id. On no agent's stream: it is everybody's. */
export const tellPolicy = (ctx: TxCtx, version: number): Promise<number> =>
  policyChanged.append(ctx, { stream: "", data: { version } });

export const tellProposed = (ctx: TxCtx, id: number, proposer_id: string): Promise<number> =>
  proposed.append(ctx, { stream: proposer_id, ref: id, data: { proposal_id: formatId(id) } });

export const tellSettled = (
  ctx: TxCtx,
  { id, proposer_id, state }: Pick<ProposalRow, "id" | "proposer_id"> & { state: ProposalState },
): Promise<number> => settled.append(ctx, { stream: proposer_id, ref: id, data: { proposal_id: formatId(id), state } });

/** With its type: a follower of the topic tells by it what has become of a call. */
export const wire: EventView = ({ type, data }) => ({ type, ...data });

/** Whose calls the actor may follow: everybody's for people, its own for an agent. */
export const streams = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, ...ONLOOKERS) ? null : [(await self(ctx)).principal_id, ""];
