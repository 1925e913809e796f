import type { Ctx } from "../../context.ts";
import { formatId } from "../../ids.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { post, readSince } from "./service.ts";

export const chat = {
  name: "chat",
  servers: ["ui", "chat-human", "chat-assistant"],
  tools,
  resources,
  topics: [
    {
      name: "chat",
      streams: async (ctx: Ctx, agent) =>
        agent === undefined && service.seesAll(ctx)
          ? null
          : [formatId((await service.readableInbox(ctx, agent)).inbox_id)],
      wire: ({ type, data }) => (type === "chat.posted" ? { agent: data.agent, author: data.author } : null),
    },
  ],
  glance: service.chatsGlance,
  explains: service.chatExplains,
  due: service.chatRetention.due,
  plan: service.chatRetention.plan,
  tables: ["messages"],
  long_tables: ["messages"],
} satisfies Module;
