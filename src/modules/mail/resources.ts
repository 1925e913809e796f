import { READERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import * as service from "./service.ts";

const facets = ["mail"] as const;
const mime = "application/json";
const INBOX = { folder: "inbox", unread: false, limit: 20 } as const;
const MOST_OF_A_THREAD = 50;

export const resources = [
  defineResource({
    name: "mail-inbox",
    title: "Mail inbox",
    description: "The newest mail of an agent or, under their own name, of a person, and how much of it is unread.",
    uri: "parley://mail/{agent}/inbox",
    mime,
    roles: READERS,
    facets,
    given_by: ["mail_inbox"],
    read: (ctx, { agent }) => service.list(ctx, { ...INBOX, agent }),
    watch: async (ctx, { agent }) => {
      const { principal_id } = await service.holderOf(ctx, agent);
      return { places: [{ topic: service.TOPIC, stream: principal_id }] };
    },
  }),
  defineResource({
    name: "mail-thread",
    title: "Mail thread",
    description: "The last mails of a thread that you sent or received.",
    uri: "parley://mail/thread/{id}",
    mime,
    roles: READERS,
    facets,
    given_by: ["mail_thread"],
    read: (ctx, { id = "" }) => service.threadOf(ctx, id, MOST_OF_A_THREAD),
    watch: async (ctx, { id = "" }) => {
      const { principal_id } = await service.holderOf(ctx, undefined);
      const { thread_id } = await service.threadOf(ctx, id, 1);
      return { places: [{ topic: service.TOPIC, stream: principal_id }], hint: service.threadHint(thread_id) };
    },
  }),
];
