import type { TxCtx } from "../context.ts";
import type { FeedEvent } from "./event.ts";
import { insertEvent } from "./store.ts";

type NewEvent = Omit<FeedEvent, "id" | "ref" | "actor_id"> & {
  /** The thing it changed; leave it out when the event creates the thing. */
  ref?: number;
};

/** Appends to the feed of the transaction's space. Returns the event's id, which is also the id of what it created. */
export async function append(ctx: TxCtx, { type, topic, stream, ref, data, live }: NewEvent): Promise<number> {
  const id = ctx.tx.takeId();
  const event: FeedEvent = { id, type, topic, stream, ref: ref ?? id, actor_id: ctx.actor.principal_id, data };
  await insertEvent(ctx.tx, event);
  ctx.tx.announce(live === undefined ? event : { ...event, live });
  return id;
}
