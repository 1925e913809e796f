import type { TxCtx } from "../context.ts";
import type { FeedEvent } from "./event.ts";
import { insertEvent, insertTogether } from "./store.ts";

type NewEvent = Omit<FeedEvent, "id" | "ref" | "actor_id"> & {
  /** One taken before, by who writes what it creates at the same time: on PostgreSQL that is one wait instead of two. */
  id?: number;
  /** The thing it changed; leave it out when the event creates the thing. */
  ref?: number;
};

/** What several events of one moment have in common; the data of each is added to it. */
type Common = Pick<FeedEvent, "topic" | "ref" | "data">;
type Own = Pick<FeedEvent, "id" | "type" | "stream" | "data">;

/** Not so many that whoever reads a page of events would not know where to put them. */
const MOST_TOGETHER = 100;

/**
 * Several that differ in little, told one by one and stored as one. Their ids were taken one right after the other: an
 * event in between would be told out of order to whoever reads them later.
 */
export async function appendTogether(ctx: TxCtx, { topic, ref, data }: Common, events: readonly Own[]): Promise<void> {
  const actor_id = ctx.actor.principal_id;
  for (let at = 0; at < events.length; at += MOST_TOGETHER)
    await insertTogether(ctx.tx, { topic, ref, actor_id, data }, events.slice(at, at + MOST_TOGETHER));
  for (const { id, type, stream, data: own } of events)
    ctx.tx.announce({ id, type, topic, stream, ref, actor_id, data: { ...own, ...data } });
}

/** Appends to the feed of the transaction's space. Returns the event's id, which is also the id of what it created. */
export async function append(ctx: TxCtx, event: NewEvent): Promise<number> {
  const { id = ctx.tx.takeId(), type, topic, stream, ref, data, live } = event;
  const entry: FeedEvent = { id, type, topic, stream, ref: ref ?? id, actor_id: ctx.actor.principal_id, data };
  await insertEvent(ctx.tx, entry);
  ctx.tx.announce(live === undefined ? entry : { ...entry, live });
  return id;
}
