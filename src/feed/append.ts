import type { TxCtx } from "../context.ts";
import type { FeedEvent } from "./event.ts";
import { insertEvent, insertEvents } from "./store.ts";

type NewEvent = Omit<FeedEvent, "id" | "ref" | "actor_id"> & {
  /** One taken before, by who writes what it creates at the same time: on PostgreSQL that is one wait instead of two. */
  id?: number;
  /** The thing it changed; leave it out when the event creates the thing. */
  ref?: number;
};

/** Several at once, which is cheaper; each with an id that was taken before. */
export async function appendAll(ctx: TxCtx, events: readonly (NewEvent & { id: number })[]): Promise<void> {
  const actor_id = ctx.actor.principal_id;
  const entries: FeedEvent[] = events.map(({ id, ref = id, ...event }) => ({ id, ref, actor_id, ...event }));
  await insertEvents(ctx.tx, entries);
  for (const entry of entries) ctx.tx.announce(entry);
}

/** Appends to the feed of the transaction's space. Returns the event's id, which is also the id of what it created. */
export async function append(ctx: TxCtx, event: NewEvent): Promise<number> {
  const { id = ctx.tx.takeId(), type, topic, stream, ref, data, live } = event;
  const entry: FeedEvent = { id, type, topic, stream, ref: ref ?? id, actor_id: ctx.actor.principal_id, data };
  await insertEvent(ctx.tx, entry);
  ctx.tx.announce(live === undefined ? entry : { ...entry, live });
  return id;
}
