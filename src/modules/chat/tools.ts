import { defineTool } from "../../tool.ts";
import { AdvancedPage, Earlier, Page, Post, Posted, ReadAndAdvance, ReadBefore, ReadSince } from "./schema.ts";
import * as service from "./service.ts";

export const tools = [
  defineTool({
    name: "chat_human_post",
    aliases: ["chat.human.post", "ui_chat_human_post", "ui.chat_human_post", "chat_human.post"],
    title: "Say something to an agent",
    description: "Posts a person's message to an agent's inbox. Returns its id and time once it is safely stored.",
    roles: ["human", "admin"],
    facets: ["chat-human"],
    effect: "write",
    input: Post,
    output: Posted,
    run: (ctx, input) => service.post(ctx, { ...input, author: "user" }),
  }),
  defineTool({
    name: "chat_assistant_post",
    aliases: ["chat.assistant.post", "ui_chat_assistant_post", "ui.chat_assistant_post", "chat_assistant.post"],
    title: "Say something to people",
    description:
      "Posts your message to the people who read your inbox. The only way they see what you say. Returns its id and time once it is safely stored.",
    roles: ["agent", "orchestrator", "worker"],
    facets: ["chat-assistant"],
    effect: "write",
    input: Post,
    output: Posted,
    run: (ctx, input) => service.post(ctx, { ...input, author: "assistant" }),
  }),
  defineTool({
    name: "chat_read_since",
    aliases: ["chat.read_since", "ui_chat_read_since", "ui.chat_read_since"],
    title: "Read what came after",
    description:
      "Returns the messages after after_id, oldest first, of both authors. Keep last_id and pass it next time; go on while has_more. Marks nothing as read.",
    roles: ["human", "admin", "observer", "agent", "orchestrator", "worker"],
    facets: ["chat-human", "chat-assistant"],
    effect: "read",
    input: ReadSince,
    output: Page,
    run: service.readSince,
  }),
  defineTool({
    name: "chat_read_before",
    title: "Read what came before",
    description:
      "Returns the last messages before before_id, oldest first, of both authors; the newest ones without it. Go on with the first id while has_more. Marks nothing as read.",
    roles: ["human", "admin", "observer", "agent", "orchestrator", "worker"],
    facets: ["chat-human", "chat-assistant"],
    effect: "read",
    input: ReadBefore,
    output: Earlier,
    run: service.readBefore,
  }),
  defineTool({
    name: "chat_read_and_advance",
    aliases: ["chat.read_and_advance", "ui_chat_read_and_advance", "ui.chat_read_and_advance"],
    title: "Read what is new to me",
    description:
      "Returns the messages after your own read mark and moves the mark to the last one returned. Each token has its own mark; use chat_read_since to read without moving it.",
    roles: ["human", "admin", "agent", "orchestrator", "worker"],
    facets: ["chat-human", "chat-assistant"],
    effect: "write",
    input: ReadAndAdvance,
    output: AdvancedPage,
    run: service.readAndAdvance,
  }),
];
