/**
 * Who was offered what, by which channel, with which proof. One row for a thing, a recipient and a
 * channel: it counts the attempts and keeps the furthest state there is proof of. Not in the feed.
 * See docs/design/delivery.md.
 */
import type { Ctx, TxCtx } from "../../context.ts";
import { DELIVERY_STATES, type DeliveryState } from "./schema.ts";
import * as store from "./store.ts";
import type { DeliveryRow, NewDeliveryRow } from "./tables.ts";

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
export async function record(ctx: TxCtx, recorded: Recorded): Promise<void> {
  await save(ctx, recorded, await store.findDelivery(ctx.tx, recorded));
}

/** Notes it of each unless as much was proven by this channel before. Of which it was news. */
export async function prove(
  ctx: TxCtx,
  { refs, ...recorded }: Omit<Recorded, "ref"> & { refs: readonly number[] },
): Promise<Set<number>> {
  const known = new Map((await store.listDeliveries(ctx.tx, { ...recorded, refs })).map((row) => [row.ref, row]));
  const news = refs.filter((ref) => {
    const had = known.get(ref);
    return !had || rank(had.state) < rank(recorded.state);
  });
  for (const ref of news) await save(ctx, { ...recorded, ref }, known.get(ref));
  return new Set(news);
}

/** What is only marked comes before all that is proven. */
const rank = (state: DeliveryState): number => (state === "marked" ? -1 : DELIVERY_STATES.indexOf(state));

async function save(ctx: TxCtx, recorded: Recorded, known: NewDeliveryRow | undefined): Promise<void> {
  const { topic, ref, principal_id, channel, state, proof } = recorded;
  const now = new Date(ctx.now()).toISOString();
  const further = !known || rank(state) >= rank(known.state);
  await store.saveDelivery(ctx.tx, {
    topic,
    ref,
    principal_id,
    channel,
    attempt: (known?.attempt ?? 0) + 1,
    state: further ? state : known.state,
    proof: further ? proof : known.proof,
    first_at: known?.first_at ?? now,
    last_at: now,
  });
}

export const listDeliveries = (ctx: Ctx, thing: Thing): Promise<DeliveryRow[]> =>
  store.listDeliveriesOf(ctx.db, { ...thing, space_id: ctx.actor.space_id });

/** Of things that are themselves forgotten. */
export const forget = (ctx: TxCtx, { topic, refs }: { topic: string; refs: readonly number[] }): Promise<void> =>
  store.deleteDeliveries(ctx.tx, topic, refs);
