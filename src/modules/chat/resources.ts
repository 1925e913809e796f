import { type Ctx, READERS } from "../../context.ts";
import type { FeedEvent } from "../../feed/index.ts";
import { formatId, timeOfId } from "../../ids.ts";
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
    read: (ctx, { agent }) => service.status(ctx, agent),
    watch: (ctx, { agent }) => watchStatus(ctx, agent),
  }),
];

// One function for all who watch: a door works out once what everybody with the same one is told.

const changed: Watch["hint"] = () => ({});
const postedHint: Watch["hint"] = (event) => (event.type === "chat.posted" ? carried(event) : null);
/** Only what people say is a reason to read the inbox again: an agent is not told of its own words. */
const spoken: Watch["hint"] = (event) => (event.data.author === "user" ? carried(event) : null);

/** Of the default agent, whoever that is when something is said; that it is another one now is told too. */
const ofDefault =
  (hint: Watch["hint"]): Watch["hint"] =>
  (event) => {
    if (event.data.default !== true) return null;
    return event.type === "agent.defaulted" ? {} : hint(event);
  };
const defaultPostedHint = ofDefault(postedHint);
const spokenToDefault = ofDefault(spoken);
/** Any change of an agent may be which of them is the default one. */
const changedOfDefault: Watch["hint"] = (event) => (event.topic !== "chat" || event.data.default === true ? {} : null);

function carried({ id, data, live }: FeedEvent): Record<string, unknown> {
  if (typeof live !== "object" || live === null) return {};
  return { messages: [{ id: formatId(id), ts: timeOfId(id), author: data.author, ...live }] };
}

const watchInbox = (ctx: Ctx, agent: string | undefined): Promise<Watch> =>
  watchChat(ctx, agent, { named: spoken, unnamed: spokenToDefault });

const watchMessages = (ctx: Ctx, agent: string | undefined): Promise<Watch> =>
  watchChat(ctx, agent, { named: postedHint, unnamed: defaultPostedHint });

async function watchChat(
  ctx: Ctx,
  agent: string | undefined,
  { named, unnamed }: { named: Watch["hint"]; unnamed: Watch["hint"] },
): Promise<Watch> {
  if (agent === undefined && service.seesAll(ctx)) return { places: [{ topic: "chat" }], hint: unnamed };
  const { inbox_id } = await service.readableInbox(ctx, agent);
  return { places: [{ topic: "chat", stream: formatId(inbox_id) }], hint: named };
}

/** What was said last is part of it, but nobody needs to know that by the millisecond. */
async function watchStatus(ctx: Ctx, name: string | undefined): Promise<Watch> {
  if (name === undefined && service.seesAll(ctx))
    return { places: [...doingPlaces(ctx), { topic: "chat", merged: true }], hint: changedOfDefault };
  const { agent, inbox_id } = await service.readableInbox(ctx, name);
  return {
    places: [...doingPlaces(ctx, agent?.principal_id), { topic: "chat", stream: formatId(inbox_id), merged: true }],
    hint: changed,
  };
}
