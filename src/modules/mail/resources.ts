import { READERS } from "../../context.ts";
import { defineResource, type Watch } from "../../resource.ts";
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
    read: (ctx, { agent }) => service.list(ctx, { ...INBOX, agent }),
    watch: async (ctx, { agent }) => {
      const { principal_id } = await service.holderOf(ctx, agent);
      return { places: [{ topic: "mail", stream: principal_id }], hint: anything };
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
    read: (ctx, { id = "" }) => service.threadOf(ctx, id, MOST_OF_A_THREAD),
    watch: async (ctx, { id = "" }) => {
      const { principal_id } = await service.holderOf(ctx, undefined);
      const { thread_id } = await service.threadOf(ctx, id, 1);
      return { places: [{ topic: "mail", stream: principal_id }], hint: ofThread(thread_id) };
    },
  }),
];

// One function for all who watch: a door works out once what everybody with the same one is told.
const anything: Watch["hint"] = () => ({});

const ofThread =
  (thread_id: string): Watch["hint"] =>
  ({ data }) =>
    data.thread_id === thread_id ? {} : null;
