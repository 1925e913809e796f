import type { TxCtx } from "../context.ts";
import { append, type NewEvent } from "./append.ts";
import type { EventView, FeedEvent } from "./event.ts";

type Data = Record<string, unknown>;

/** One type of event: who tells it and whoever reads it have the type of its data from here, and from nowhere else. */
export interface EventDefinition<D extends Data> {
  topic: string;
  type: string;
  append: (ctx: TxCtx, event: Omit<NewEvent, "topic" | "type"> & { data: D }) => Promise<number>;
  is: (event: FeedEvent) => event is FeedEvent<D>;
  /** What some are told of such an event, by its data; of every other event nothing. */
  view: (read: (data: D) => Data | null) => EventView;
}

export function defineEvent<D extends Data>({ topic, type }: { topic: string; type: string }): EventDefinition<D> {
  // Nobody else appends this type, and nothing but such data.
  const is = (event: FeedEvent): event is FeedEvent<D> => event.type === type && event.topic === topic;
  return {
    topic,
    type,
    append: (ctx, { id, stream, ref, data, live }) => append(ctx, { id, type, topic, stream, ref, data, live }),
    is,
    view: (read) => (event) => (is(event) ? read(event.data) : null),
  };
}
