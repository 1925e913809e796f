import type { Ctx } from "../../context.ts";
import { formatId } from "../../ids.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export type { Message, Page } from "./schema.ts";
export { post, readableInbox, readBefore, readSince, seesAll } from "./service.ts";

export const chat = {
  name: "chat",
  servers: ["ui", "chat-human", "chat-assistant"],
  tools,
  resources,
  topics: [
    {
      name: service.TOPIC,
      given_by: ["chat_read_since"],
      streams: async (ctx: Ctx, agent) =>
        agent === undefined && service.seesAll(ctx)
          ? null
          : [formatId((await service.readableInbox(ctx, agent)).inbox_id)],
      wire: service.wire,
    },
  ],
  glance: service.chatsGlance,
  explains: service.chatExplains,
  due: service.chatRetention.due,
  plan: service.chatRetention.plan,
  tables: ["messages"],
  long_tables: ["messages"],
} satisfies Module;
