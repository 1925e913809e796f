import { AGENTS, type Ctx, has } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import type { Explainer } from "../../../module.ts";
import { findSelf } from "../../identity/index.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";
import { seesMailboxes } from "./mailboxes.ts";
import { answeredBy } from "./sending.ts";

/** Of a mail's text no more than its subject: what somebody reads is noted, and asking why is not reading. */
export const mailExplains: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const { space_id } = ctx.actor;
    const mail = await store.findWritten(ctx.db, { space_id, id, principal_id: await ownMailbox(ctx) });
    if (!mail) return undefined;
    const { by, subject: text } = mail;
    const sees = mail.own === 1 || (mail.among_agents === 1 && seesMailboxes(ctx));
    return { shown: sees ? { kind: "mail", by, text } : null, cause: fromColumns(mail) ?? answeredBy(mail) };
  },
  sees: async (ctx, { stream }) =>
    stream === (await ownMailbox(ctx)) || (seesMailboxes(ctx) && (await store.isAgent(ctx.db, stream))),
};

/** Empty for an agent that is none here. */
async function ownMailbox(ctx: Ctx): Promise<string> {
  if (!has(ctx.actor, ...AGENTS)) return ctx.actor.principal_id;
  return (await findSelf(ctx))?.principal_id ?? "";
}
