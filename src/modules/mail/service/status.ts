import type { Ctx } from "../../../context.ts";
import { formatId, parseId } from "../../../ids.ts";
import { DELIVERY_STATES, type Delivery, listDeliveries } from "../../delivery/index.ts";
import { holder, ownHolder } from "../../identity/index.ts";
import type { MailStatus } from "../schema.ts";
import * as store from "../store.ts";
import { OWN } from "./changing.ts";
import { TOPIC } from "./events.ts";
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
  const deliveries = await listDeliveries(ctx, { topic: TOPIC, ref: parseId(id) });
  return {
    id: formatId(parseId(id)),
    recipients: sender.recipients.toSorted().map((name) => {
      const theirs = deliveries.filter((delivery) => delivery.name === name);
      return { name, ...reached(theirs), deliveries: theirs.map(({ principal_id: _, name: __, ...rest }) => rest) };
    }),
  };
}

/** From what is proven alone: their copy may be purged, or be marked by somebody else. */
function reached(deliveries: readonly Delivery[]) {
  const state = DELIVERY_STATES.filter((state) => deliveries.some((delivery) => delivery.state === state)).at(-1);
  const own = deliveries.find(({ channel }) => channel === OWN);
  const acked = own?.state === "acknowledged";
  return {
    state: state ?? ("stored" as const),
    read_at: own && (acked || own.state === "read") ? own.first_at : null,
    acked_at: acked ? own.last_at : null,
  };
}
