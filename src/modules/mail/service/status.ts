import type { Ctx } from "../../../context.ts";
import { formatId, parseId } from "../../../ids.ts";
import { DELIVERY_STATES, listDeliveries } from "../../delivery/index.ts";
import { holder, ownHolder } from "../../identity/index.ts";
import type { MailStatus } from "../schema.ts";
import * as store from "../store.ts";
import { noSuchMail, seesMailboxes } from "./mailboxes.ts";

/** How far a mail came with each recipient, for its sender and for the people who look after agents. */
export async function statusOf(ctx: Ctx, { id }: { id: string }): Promise<MailStatus> {
  const { space_id } = ctx.actor;
  const own = await ownHolder(ctx);
  const sender = await store.findSender(ctx.db, { space_id, id: parseId(id) });
  if (!sender) throw noSuchMail(id);
  // People may look at what agents sent; what other people sent is theirs.
  const allowed =
    sender.principal_id === own.principal_id ||
    (seesMailboxes(ctx) && (await holder(ctx, sender.name))?.kind === "agent");
  if (!allowed) throw noSuchMail(id);
  const copies = await store.listCopies(ctx.db, { space_id, mail_id: parseId(id) });
  const deliveries = await listDeliveries(ctx, { topic: "mail", ref: parseId(id) });
  return {
    id: formatId(parseId(id)),
    recipients: copies.map(({ principal_id, name, read_at, acked_at }) => {
      const theirs = deliveries.filter((delivery) => delivery.principal_id === principal_id);
      const reached = DELIVERY_STATES.filter((state) => theirs.some((delivery) => delivery.state === state)).at(-1);
      return {
        name,
        state: reached ?? "stored",
        read_at,
        acked_at,
        deliveries: theirs.map(({ principal_id: _, ...delivery }) => delivery),
      };
    }),
  };
}
