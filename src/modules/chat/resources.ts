import { type Ctx, READERS } from "../../context.ts";
import type { EventView } from "../../feed/index.ts";
import { formatId } from "../../ids.ts";
import { defineResource, type Watch } from "../../resource.ts";
import { doingPlaces } from "../identity/index.ts";
import * as service from "./service.ts";

const facets = ["chat-human", "chat-assistant"] as const;
const mime = "application/json";

export const resources = [
  defineResource({
    name: "chat-inbox",
    title: "Chat inbox",
    description: "The newest messages between people and the default agent; an agent's own inbox for that agent.",
    uri: "ui://chat/inbox",
    mime,
    roles: READERS,
    facets,
    given_by: ["chat_read_since"],
    read: (ctx) => service.inbox(ctx, undefined),
    watch: (ctx) => watchInbox(ctx, undefined),
  }),
  defineResource({
    name: "chat-agent-inbox",
    title: "Chat inbox of an agent",
    description: "The newest messages between people and the agent of that name.",
    uri: "ui://chat/{agent}/inbox",
    mime,
    roles: READERS,
    facets,
    given_by: ["chat_read_since"],
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
    roles: READERS,
    facets: ["chat-human"],
    given_by: ["chat_read_before"],
    read: (ctx) => service.inbox(ctx, undefined),
    watch: (ctx) => watchMessages(ctx, undefined),
  }),
  defineResource({
    name: "chat-agent-messages",
    title: "Chat messages of an agent",
    description: "The messages between people and the agent of that name, with hints of both authors.",
    uri: "ui://chat/{agent}/messages",
    mime,
    roles: READERS,
    facets: ["chat-human"],
    given_by: ["chat_read_before"],
    read: (ctx, { agent }) => service.inbox(ctx, agent),
    watch: (ctx, { agent }) => watchMessages(ctx, agent),
  }),
  defineResource({
    name: "agent-status",
    title: "Agent status",
    description: "Whether the default agent can be written to, and what it is doing; its own status for an agent.",
    uri: "ui://agent/status",
    mime,
    roles: READERS,
    facets,
    given_by: ["agent_status"],
    read: (ctx) => service.status(ctx, undefined),
    watch: (ctx) => watchStatus(ctx, undefined),
  }),
  defineResource({
    name: "agent-status-of",
    title: "Status of an agent",
    description: "Whether the agent of that name can be written to, and what it is doing.",
    uri: "ui://agent/{agent}/status",
    mime,
    roles: READERS,
    facets,
    given_by: ["agent_status"],
    read: (ctx, { agent }) => service.status(ctx, agent),
    watch: (ctx, { agent }) => watchStatus(ctx, agent),
  }),
];

const watchInbox = (ctx: Ctx, agent: string | undefined): Promise<Watch> =>
  watchChat(ctx, agent, { named: service.fromPeopleHint, unnamed: service.defaultFromPeopleHint });

const watchMessages = (ctx: Ctx, agent: string | undefined): Promise<Watch> =>
  watchChat(ctx, agent, { named: service.messageHint, unnamed: service.defaultMessageHint });

async function watchChat(
  ctx: Ctx,
  agent: string | undefined,
  { named, unnamed }: { named: EventView; unnamed: EventView },
): Promise<Watch> {
  if (agent === undefined && service.seesAll(ctx)) return { places: [{ topic: service.TOPIC }], hint: unnamed };
  const { inbox_id } = await service.readableInbox(ctx, agent);
  return { places: [{ topic: service.TOPIC, stream: formatId(inbox_id) }], hint: named };
}

/** What was said last is part of it, but nobody needs to know that by the millisecond. */
async function watchStatus(ctx: Ctx, name: string | undefined): Promise<Watch> {
  if (name === undefined && service.seesAll(ctx))
    return { places: [...doingPlaces(ctx), { topic: service.TOPIC, merged: true }], hint: service.defaultStatusHint };
  const { agent, inbox_id } = await service.readableInbox(ctx, name);
  return {
    places: [
      ...doingPlaces(ctx, agent?.principal_id),
      { topic: service.TOPIC, stream: formatId(inbox_id), merged: true },
    ],
  };
}
