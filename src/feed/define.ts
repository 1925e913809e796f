import type { TxCtx } from "../context.ts";
import { append, appendAll, type NewEvent } from "./append.ts";
import type { EventView, FeedEvent } from "./event.ts";
import type { GroupMember } from "./store.ts";

type Is<D extends object> = (event: FeedEvent) => event is FeedEvent<D>;

type NewOf<D extends object> = Omit<NewEvent, "topic" | "type"> & { data: D };

/** One type of event: who tells it and whoever reads it have the type of its data from here, and from nowhere else. */
export interface EventDefinition<D extends object> {
  topic: string;
  type: string;
  append: (ctx: TxCtx, event: NewOf<D>) => Promise<number>;
  appendAll: (ctx: TxCtx, events: readonly NewOf<D>[]) => Promise<void>;
  /** One of several that are told together: with what it holds beside `Shared`, which is told with all of them. */
  member: <Shared extends Partial<D>>(event: {
    id: number;
    stream: string;
    data: Omit<D, keyof Shared>;
  }) => GroupMember;
  is: Is<D>;
  /** What some are told of such an event, by its data; of every other event nothing. */
  view: (read: (data: D) => object | null) => EventView;
}

export function defineEvent<D extends object>({ topic, type }: { topic: string; type: string }): EventDefinition<D> {
  // Nobody else appends this type, and nothing but such data.
  const is = (event: FeedEvent): event is FeedEvent<D> => event.type === type && event.topic === topic;
  return {
    topic,
    type,
    append: (ctx, { id, stream, ref, data, live }) => append(ctx, { id, type, topic, stream, ref, data, live }),
    appendAll: (ctx, events) =>
      appendAll(
        ctx,
        events.map((event) => ({ ...event, type, topic })),
      ),
    member: ({ id, stream, data }) => ({ id, type, stream, data }),
    is,
    view: (read) => (event) => (is(event) ? read(event.data) : null),
  };
}

/** Whether an event is one of these, and so holds what all of them do. */
export function isAny<D extends object>(definitions: readonly { topic: string; type: string; is: Is<D> }[]): Is<D> {
  const topics = new Map(definitions.map(({ topic, type }) => [type, topic]));
  return (event): event is FeedEvent<D> => topics.get(event.type) === event.topic;
}

/** What an event holds, for who is told of such ones alone. */
export function dataOf<D extends object>(event: FeedEvent, is: Is<D>): D {
  if (is(event)) return event.data;
  throw new Error(`${event.type} was told to who reads other events.`);
}
