import type { Ctx } from "../../context.ts";
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

export { hasUnread, look, mailboxOf, NEWS, relay, send, sentIn, threadOf, urgentFor } from "./service.ts";

export const mail = {
  name: "mail",
  servers: [],
  tools,
  resources,
  routes,
  topics: [
    {
      name: service.TOPIC,
      given_by: ["mail_inbox"],
      streams: async (ctx: Ctx, agent) => [(await service.followable(ctx, agent)).principal_id],
      also: service.alsoTold,
      state: { of: unreadCount, changedBy: service.changesUnread },
    },
  ],
  needs: service.mailNeeds,
  glance: service.mailGlance,
  explains: service.mailExplains,
  due: service.mailDue,
  plan: service.planRetention,
  reopened: { mails: { stored: service.reindex } },
  tables: ["mails", "mail_recipients", "mail_subscriptions", "mail_trails"],
  long_tables: ["mails", "mail_recipients"],
} satisfies Module;

async function unreadCount(ctx: Ctx, agent: string | undefined): Promise<NamedEvent> {
  return { name: "unread-count", data: await service.countUnread(ctx, agent) };
}
