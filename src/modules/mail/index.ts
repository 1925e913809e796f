import type { Ctx } from "../../context.ts";
import type { FeedEvent } from "../../feed/index.ts";
import { formatId } from "../../ids.ts";
import type { Module, NamedEvent } from "../../module.ts";
import { resources } from "./resources.ts";
import { routes } from "./routes.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export type {
  Mail,
  MailItem,
  MailList,
  Polled,
  Sent,
} from "./schema.ts";

export { relay, threadOf } from "./service.ts";

const NEWS = ["mail.received", "mail.woken"];
/** What may make another number of a mailbox's mails unread. */
const CHANGES = [...NEWS, "mail.changed"];

export const mail = {
  name: "mail",
  servers: [],
  tools,
  resources,
  routes,
  topics: [
    {
      name: "mail",
      streams: async (ctx: Ctx, agent) => [(await service.followable(ctx, agent)).principal_id],
      also: told,
      state: { of: unreadCount, changedBy: ({ type }) => CHANGES.includes(type) },
    },
  ],
  needs: service.mailNeeds,
  glance: service.mailGlance,
  explains: service.mailExplains,
  due: service.mailDue,
  plan: service.planRetention,
  tables: ["mails", "mail_recipients", "mail_subscriptions", "mail_trails"],
  long_tables: ["mails", "mail_recipients"],
} satisfies Module;

/** Whose urgent mail an event tells of. */
export function urgentFor({ type, data }: FeedEvent): string | undefined {
  return NEWS.includes(type) && data.priority === "urgent" ? String(data.agent) : undefined;
}

/** By the names that pages written for the seed's hub listen to. */
function told({ type, ref, data }: FeedEvent): NamedEvent[] {
  return NEWS.includes(type) ? [{ name: "new-message", data: { ...data, message_id: formatId(ref) } }] : [];
}

async function unreadCount(ctx: Ctx, agent: string | undefined): Promise<NamedEvent> {
  return { name: "unread-count", data: await service.countUnread(ctx, agent) };
}
