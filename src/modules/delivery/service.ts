/**
 * Who was offered what, by which channel, with which proof. One row for a thing, a recipient and a
 * channel: it counts the attempts and keeps the furthest state there is proof of. Not in the feed.
 * See docs/design/delivery.md.
 */
import type { Ctx, TxCtx } from "../../context.ts";
import { DELIVERY_STATES, type DeliveryState } from "./schema.ts";
import * as store from "./store.ts";
import type { DeliveryRow } from "./tables.ts";

interface Thing {
  topic: string;
  ref: number;
}

export interface Recorded extends Thing {
  principal_id: string;
  channel: string;
  state: DeliveryState;
  proof: string;
}

/** Notes one attempt. What was proven before stays proven. */
export async function record(ctx: TxCtx, { topic, ref, principal_id, channel, state, proof }: Recorded): Promise<void> {
  const where = { topic, ref, principal_id, channel };
  const known = await store.findDelivery(ctx.tx, where);
  const now = new Date(ctx.now()).toISOString();
  const further = !known || DELIVERY_STATES.indexOf(state) >= DELIVERY_STATES.indexOf(known.state);
  await store.saveDelivery(ctx.tx, {
    ...where,
    attempt: (known?.attempt ?? 0) + 1,
    state: further ? state : known.state,
    proof: further ? proof : known.proof,
    first_at: known?.first_at ?? now,
    last_at: now,
  });
}

export const listDeliveries = (ctx: Ctx, thing: Thing): Promise<DeliveryRow[]> =>
  store.listDeliveriesOf(ctx.db, { ...thing, space_id: ctx.actor.space_id });
