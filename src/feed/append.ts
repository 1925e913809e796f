import type { TxCtx } from "../context.ts";
import type { Cause, FeedEvent } from "./event.ts";
import { type GroupFields, type GroupMember, insertEvent, insertEvents, insertGroup } from "./store.ts";

export type NewEvent = Omit<FeedEvent, "id" | "ref" | "actor_id"> & {
  /** One taken before, by who writes what it creates at the same time: on PostgreSQL that is one wait instead of two. */
  id?: number | undefined;
  /** The thing it changed; leave it out when the event creates the thing. */
  ref?: number | undefined;
};

interface NewGroup extends Omit<GroupFields, "actor_id" | "cause"> {
  /** Where that is not what led to the whole operation. */
  cause?: Cause | undefined;
}

/**
 * Several that differ in little, told one by one and stored as few rows; where the data of one and of all have the same
 * field, that of all counts. Their ids were taken in one go: an event with an id between them would be told out of order
 * to whoever reads them later.
 */
export async function appendGroup(
  ctx: TxCtx,
  { topic, ref, data, cause = ctx.cause }: NewGroup,
  events: readonly GroupMember[],
): Promise<void> {
  const actor_id = ctx.actor.principal_id;
  await insertGroup(ctx.tx, { topic, ref, actor_id, data, cause }, events);
  for (const { id, type, stream, data: own } of events)
    announce(ctx, { id, type, topic, stream, ref, actor_id, data: { ...own, ...data } });
}

/** Appends to the feed of the transaction's space. Returns the event's id, which is also the id of what it created. */
export async function append(ctx: TxCtx, event: NewEvent): Promise<number> {
  const entry = entryOf(ctx, event);
  await insertEvent(ctx.tx, entry, ctx.cause);
  announce(ctx, entry);
  return entry.id;
}

/** The same for several that differ in more than a group's do: as many rows, written as one statement. */
export async function appendAll(ctx: TxCtx, events: readonly NewEvent[]): Promise<void> {
  const entries = events.map((event) => entryOf(ctx, event));
  await insertEvents(ctx.tx, entries, ctx.cause);
  for (const entry of entries) announce(ctx, entry);
}

function entryOf(ctx: TxCtx, { id = ctx.tx.takeId(), type, topic, stream, ref, data, live }: NewEvent): FeedEvent {
  return { id, type, topic, stream, ref: ref ?? id, actor_id: ctx.actor.principal_id, data, live };
}

function announce(ctx: TxCtx, event: FeedEvent): void {
  ctx.tx.announce(event);
  ctx.reactions?.appended(event);
}
