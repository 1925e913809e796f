/** What events of approvals and of the policy hold: nobody else looks into their data. */
import { type Ctx, has, ONLOOKERS, type TxCtx } from "../../../context.ts";
import { append, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import { self } from "../../identity/index.ts";
import type { State } from "../schema.ts";

export const TOPIC = "approvals";

interface About {
  id: number;
  agent_id: string;
  agent: string;
  server: string;
  tool: string;
  state: State;
}

const facts = ({ id, agent, server, tool, state }: About) => ({
  approval_id: formatId(id),
  ...{ agent, server, tool, state },
});

/** A person is to decide. */
export const tellRequested = (ctx: TxCtx, about: About): Promise<number> =>
  append(ctx, {
    ...{ type: "approval.requested", topic: TOPIC, stream: about.agent_id, ref: about.id },
    data: facts(about),
  });

/** The policy has decided by itself; what it decided about has the event's id. */
export const tellRuled = (ctx: TxCtx, about: About): Promise<number> =>
  append(ctx, {
    ...{ id: about.id, type: "approval.ruled", topic: TOPIC, stream: about.agent_id },
    data: facts(about),
  });

/** A person has, or nobody will. */
export const tellDecided = (ctx: TxCtx, about: About, outcome: string | null): Promise<number> =>
  append(ctx, {
    ...{ type: "approval.decided", topic: TOPIC, stream: about.agent_id, ref: about.id },
    data: { ...facts(about), outcome },
  });

export const tellExecuting = (ctx: TxCtx, about: About): Promise<number> =>
  append(ctx, {
    ...{ type: "approval.claimed", topic: TOPIC, stream: about.agent_id, ref: about.id },
    data: facts(about),
  });

export const tellEnded = (ctx: TxCtx, about: About): Promise<number> =>
  append(ctx, {
    ...{ type: "approval.ended", topic: TOPIC, stream: about.agent_id, ref: about.id },
    data: facts(about),
  });

export const POLICY_CHANGED = "policy.changed";

/** The version has the event's id. On no agent's stream: it is everybody's. */
export const tellPolicy = (ctx: TxCtx, version: number): Promise<number> =>
  append(ctx, { type: POLICY_CHANGED, topic: TOPIC, stream: "", data: { version } });

export const tellProposed = (ctx: TxCtx, id: number, proposer_id: string): Promise<number> =>
  append(ctx, {
    ...{ type: "policy.proposed", topic: TOPIC, stream: proposer_id, ref: id },
    data: { proposal_id: formatId(id) },
  });

export const tellSettled = (
  ctx: TxCtx,
  { id, proposer_id, state }: { id: number; proposer_id: string; state: string },
): Promise<number> =>
  append(ctx, {
    ...{ type: "policy.settled", topic: TOPIC, stream: proposer_id, ref: id },
    data: { proposal_id: formatId(id), state },
  });

/** Of what `tellRuled` and `tellDecided` tell. */
export const isDenial = ({ data }: FeedEvent): boolean => (data as { state?: State }).state === "denied";

/** With its type: a follower of the topic tells by it what has become of a call. */
export const wire: EventView = ({ type, data }) => ({ type, ...data });

/** Whose calls the actor may follow: everybody's for people, its own for an agent. */
export const streams = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, ...ONLOOKERS) ? null : [(await self(ctx)).principal_id, ""];
