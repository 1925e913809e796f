/** What events of agents, tokens and spaces hold: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { dataOf, defineEvent, type FeedEvent, isAny } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { AgentRow } from "../tables.ts";

export const TOPIC = "agent";
/** Of the hub's own space: every node listens to it. */
export const TOKEN_TOPIC = "identity";

type OfAgent = { agent: string };
const registered = defineEvent<OfAgent>({ topic: TOPIC, type: "agent.registered" });
const updated = defineEvent<OfAgent>({ topic: TOPIC, type: "agent.updated" });
const deleted = defineEvent<OfAgent>({ topic: TOPIC, type: "agent.deleted" });
const isOfAgent = isAny<OfAgent>([registered, updated, deleted]);
/** Among what is said in chats: whoever reads the default agent's reads another one from now on. */
const defaulted = defineEvent<OfAgent & { author: null; default: true }>({ topic: "chat", type: "agent.defaulted" });

const tokenRevoked = defineEvent<{ token_id: string }>({ topic: TOKEN_TOPIC, type: "token.revoked" });
const spaceEnded = defineEvent<Record<string, never>>({ topic: "space", type: "space.ended" });
const spaceUnarchived = defineEvent<{ space: string }>({ topic: "space", type: "space.unarchived" });

type Named = Pick<AgentRow, "principal_id" | "name">;

/** Whose id its inbox gets. */
export const tellRegistered = (ctx: TxCtx, { principal_id, name }: Named): Promise<number> =>
  registered.append(ctx, { stream: principal_id, data: { agent: name } });

/** Something about the agent has changed. */
export const tellUpdated = (ctx: TxCtx, { principal_id, name }: Named): Promise<number> =>
  updated.append(ctx, { stream: principal_id, data: { agent: name } });

export const tellDeleted = (ctx: TxCtx, { principal_id, name }: Named): Promise<number> =>
  deleted.append(ctx, { stream: principal_id, data: { agent: name } });

/** Whom such an event is about. */
export const agentIn = (event: FeedEvent): Named => ({
  principal_id: event.stream,
  name: dataOf(event, isOfAgent).agent,
});

export const tellDefault = (ctx: TxCtx, { name, inbox_id }: AgentRow): Promise<number> =>
  defaulted.append(ctx, { stream: formatId(inbox_id), data: { agent: name, author: null, default: true } });

export const isDefaulted = defaulted.is;

/** In a transaction of the hub's own space. Every node closes the streams that were opened with the token. */
export const tellRevoked = (ctx: TxCtx, token_id: string): Promise<number> =>
  tokenRevoked.append(ctx, { stream: token_id, data: { token_id } });

/** Which token was revoked, by an event that says so. */
export const revokedIn = (event: FeedEvent): string | undefined =>
  tokenRevoked.is(event) ? event.data.token_id : undefined;

/** Has nodes end what is open there. It goes with the rest of the space's feed a moment later. */
export const tellSpaceEnded = (ctx: TxCtx): Promise<number> => spaceEnded.append(ctx, { stream: "", data: {} });

/** In a transaction of the permanent space, whose people run the hub. */
export const tellUnarchived = (ctx: TxCtx, space: string): Promise<number> =>
  spaceUnarchived.append(ctx, { stream: "", data: { space } });

/** Which space could not be archived, by an event that says so. */
export const unarchivedIn = (event: FeedEvent): string | undefined =>
  spaceUnarchived.is(event) ? event.data.space : undefined;

export const isSpaceEnd = spaceEnded.is;
