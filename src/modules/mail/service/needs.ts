import type { Ctx } from "../../../context.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import type { Need, NeedPage, NeedProvider } from "../../../module.ts";
import { ownHolder } from "../../identity/index.ts";
import * as store from "../store.ts";
import { TOPIC, tellReceipts } from "./events.ts";

/**
 * Mail that waits for a person: urgent or with a deadline, in their inbox, neither acknowledged nor answered nor snoozed.
 * To have read it is not to have dealt with it.
 */
export const mailNeeds: NeedProvider = {
  ids: async (ctx, page) => store.listAskingIds(ctx.db, await inBox(ctx, page)),
  list: async (ctx, page) =>
    (await store.listAsking(ctx.db, await inBox(ctx, page))).map(
      (row): Need => ({
        id: formatId(row.id),
        kind: "mail",
        title: row.subject,
        text: row.preview,
        from: row.sender,
        asked_at: timeOfId(row.id),
        tool: "mail_reply",
        choices: null,
        digest: null,
        expires_at: row.deadline,
        topic: TOPIC,
        ref: formatId(row.id),
        agents: null,
      }),
    ),
  tellPending: async (ctx, id, until) => {
    // It waits for the actor, so it is there.
    const sender = (await store.findSender(ctx.tx, { space_id: ctx.tx.space_id, id })) as store.Sender;
    const { thread_id } = sender;
    await tellReceipts(ctx, [{ sender, mail_id: id, thread_id, by: ctx.actor.name, state: "pending", until }]);
  },
  places: async (ctx) => [{ topic: TOPIC, stream: (await ownHolder(ctx)).principal_id }],
};

async function inBox(ctx: Ctx, page: NeedPage) {
  const { principal_id } = await ownHolder(ctx);
  return { space_id: ctx.actor.space_id, principal_id, ...page };
}
