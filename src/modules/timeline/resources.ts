import { type Ctx, READERS } from "../../context.ts";
import { formatId } from "../../ids.ts";
import { defineResource, type Watch } from "../../resource.ts";
import * as service from "./service.ts";

const mime = "application/json";

export const resources = [
  defineResource({
    name: "timeline",
    title: "Timeline of an agent",
    description: "The newest of what was said and done by an agent and to it, as timeline_read gives it, oldest first.",
    uri: "parley://timeline/{agent}",
    mime,
    roles: READERS,
    facets: ["chat-human"],
    given_by: ["timeline_read"],
    read: (ctx, { agent }) => service.readTimeline(ctx, { agent, before_id: null, newest: true, limit: 200 }),
    watch: (ctx, { agent }) => watchTimeline(ctx, agent),
  }),
  defineResource({
    name: "subscriptions",
    title: "Subscriptions",
    description: "What the agents of this space follow by their runtimes, how far each has read, and what went wrong.",
    uri: "parley://subscriptions",
    mime,
    roles: READERS,
    facets: ["admin"],
    given_by: ["agent_status"],
    read: (ctx) => service.subscriptions(ctx),
    watch: watchSubscriptions,
  }),
];

async function watchSubscriptions(ctx: Ctx): Promise<Watch> {
  const [stream] = (await service.streamsOf(ctx, undefined)) ?? [];
  const own = stream === undefined ? {} : { stream };
  const places = [
    { topic: service.CONTROL, ...own },
    { topic: service.TOPIC, ...own, merged: true },
  ];
  return { places, hint: service.anyHint };
}

async function watchTimeline(ctx: Ctx, agent: string | undefined): Promise<Watch> {
  const { inbox_id, principal_id } = await service.whose(ctx, agent);
  const chat = { topic: "chat", stream: formatId(inbox_id) };
  if (principal_id === undefined) return { places: [chat], hint: service.anyHint };
  // What people want of it is shown with what it does.
  const own = [service.TOPIC, service.CONTROL].map((topic) => ({ topic, stream: principal_id }));
  return { places: [chat, ...own], hint: service.anyHint };
}
