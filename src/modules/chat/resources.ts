import type { Ctx } from "../../context.ts";
import type { FeedEvent } from "../../feed/index.ts";
import { formatId, timeOfId } from "../../ids.ts";
import { defineResource, type Watch } from "../../resource.ts";
import * as service from "./service.ts";

const roles = ["human", "admin", "observer", "agent", "orchestrator", "worker"] as const;
const facets = ["chat-human", "chat-assistant"] as const;
const mime = "application/json";

export const resources = [
  defineResource({
    name: "chat-inbox",
    title: "Chat inbox",
    description: "The newest messages between people and the default agent; an agent's own inbox for that agent.",
    uri: "ui://chat/inbox",
    mime,
    roles,
    facets,
    read: (ctx) => service.inbox(ctx, undefined),
    watch: (ctx) => watchInbox(ctx, undefined),
  }),
  defineResource({
    name: "chat-agent-inbox",
    title: "Chat inbox of an agent",
    description: "The newest messages between people and the agent of that name.",
    uri: "ui://chat/{agent}/inbox",
    mime,
    roles,
    facets,
    read: (ctx, { agent }) => service.inbox(ctx, agent),
    watch: (ctx, { agent }) => watchInbox(ctx, agent),
  }),
  defineResource({
    name: "chat-messages",
    title: "Chat messages",
    description:
      "The same messages as the inbox, for people who follow the chat: its hints tell of both authors, not of people alone.",
    uri: "ui://chat/messages",
    mime,
    roles,
    facets: ["chat-human"],
    read: (ctx) => service.inbox(ctx, undefined),
    watch: (ctx) => watchMessages(ctx, undefined),
  }),
  defineResource({
    name: "chat-agent-messages",
    title: "Chat messages of an agent",
    description: "The messages between people and the agent of that name, with hints of both authors.",
    uri: "ui://chat/{agent}/messages",
    mime,
    roles,
    facets: ["chat-human"],
    read: (ctx, { agent }) => service.inbox(ctx, agent),
    watch: (ctx, { agent }) => watchMessages(ctx, agent),
  }),
  defineResource({
    name: "agent-status",
    title: "Agent status",
    description: "Whether the default agent can be written to, and what it is doing; its own status for an agent.",
    uri: "ui://agent/status",
    mime,
    roles,
    facets,
    read: (ctx) => service.status(ctx, undefined),
    watch: (ctx) => watchStatus(ctx, undefined),
  }),
  defineResource({
    name: "agent-status-of",
    title: "Status of an agent",
    description: "Whether the agent of that name can be written to, and what it is doing.",
    uri: "ui://agent/{agent}/status",
    mime,
    roles,
    facets,
    read: (ctx, { agent }) => service.status(ctx, agent),
    watch: (ctx, { agent }) => watchStatus(ctx, agent),
  }),
];

/** Only what people say is a reason to read the inbox again: an agent is not told of its own words. */
async function watchInbox(ctx: Ctx, agent: string | undefined): Promise<Watch> {
  // Without a name it is the default agent's, whoever that is when something is said.
  if (agent === undefined && service.seesAll(ctx)) return { topic: "chat", hint: spokenToDefault };
  const { inbox_id } = await service.readableInbox(ctx, agent);
  return { topic: "chat", stream: formatId(inbox_id), hint: spoken };
}

async function watchMessages(ctx: Ctx, agent: string | undefined): Promise<Watch> {
  const { inbox_id } = await service.readableInbox(ctx, agent);
  return { topic: "chat", stream: formatId(inbox_id), hint: carried };
}

// One function for all who watch: a door works out once what everybody with the same one is told.
const spoken: Watch["hint"] = (event) => (event.data.author === "user" ? carried(event) : null);
const spokenToDefault: Watch["hint"] = (event) =>
  event.data.default === true ? (event.type === "chat.posted" ? spoken(event) : {}) : null;
const changed: Watch["hint"] = () => ({});

function carried({ id, data, live }: FeedEvent): Record<string, unknown> {
  if (typeof live !== "object" || live === null) return {};
  return { messages: [{ id: formatId(id), ts: timeOfId(id), author: data.author, ...live }] };
}

async function watchStatus(ctx: Ctx, name: string | undefined): Promise<Watch> {
  // Without a name it is the default agent's, and any change may be who that is.
  if (name === undefined && service.seesAll(ctx)) return { topic: "agent", hint: changed };
  const { agent } = await service.readableInbox(ctx, name);
  return { topic: "agent", ...(agent && { stream: agent.principal_id }), hint: changed };
}
