import type { Reader, Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import type { FeedEvent } from "./event.ts";

/**
 * With `data` as JSON. Where several events are one row, it is that of the last, with the data that all have in common;
 * `together` has what each has of its own.
 */
type EventRow = Omit<FeedEvent, "data" | "live"> & { data: string; together: string | null };

const insert = statement<EventRow & { space_id: string }>(
  `insert into events (space_id, id, type, topic, stream, ref, actor_id, data, together)
   values (:space_id, :id, :type, :topic, :stream, :ref, :actor_id, :data, :together)`,
);

const rowOf = (
  { space_id }: Tx,
  { id, type, topic, stream, ref, actor_id, data }: FeedEvent,
  together: string | null,
) => ({
  space_id,
  id,
  type,
  topic,
  stream,
  ref,
  actor_id,
  data: JSON.stringify(data),
  together,
});

export async function insertEvent(tx: Tx, event: FeedEvent): Promise<void> {
  await tx.run(insert, rowOf(tx, event, null));
}

/** What events of one moment have in common, and what each has of its own. */
export type Common = Pick<FeedEvent, "topic" | "ref" | "actor_id" | "data">;
export type Own = Pick<FeedEvent, "id" | "type" | "stream" | "data">;

/** One of those in `together`: how far its id lies before the row's, and its type only where that is not the row's. */
type Packed = [back: number, stream: string, data: Record<string, unknown>, type?: string];

/** So many in a row: whoever wants the last of them takes all of them apart. */
const MOST_TOGETHER = 100;

/** By the id of the last, so that whoever reads on from the middle finds the row. */
export async function insertTogether(tx: Tx, common: Common, events: readonly Own[]): Promise<void> {
  const rows = [];
  for (let at = 0; at < events.length; at += MOST_TOGETHER) {
    const some = events.slice(at, at + MOST_TOGETHER);
    const last = some.at(-1);
    if (!last) break;
    const { id, type, stream } = last;
    const packed = some.map((event): Packed => {
      const own = [id - event.id, event.stream, event.data] as const;
      return event.type === type ? [...own] : [...own, event.type];
    });
    rows.push(rowOf(tx, { ...common, id, type, stream }, JSON.stringify(packed)));
  }
  await tx.runAll(insert, rows);
}

const since = statement<{ space_id: string; after_id: number; limit: number }, EventRow>(
  `select id, type, topic, stream, ref, actor_id, data, together from events
   where space_id = :space_id and id > :after_id order by id limit :limit`,
);

export async function listEventsSince(
  db: Reader,
  args: { space_id: string; after_id: number; limit: number },
): Promise<FeedEvent[]> {
  const { space_id, after_id, limit } = args;
  const events: FeedEvent[] = [];
  // A row may be a hundred events: begun with few, and then so many as are likely to do.
  for (let rows = Math.ceil(limit / FIRST_PART), last_id = after_id; ; ) {
    const found = await db.all(since, { space_id, after_id: last_id, limit: rows });
    for (const row of found) {
      for (const event of eventsOf(row)) if (event.id > after_id) events.push(event);
      if (events.length >= limit) return events.slice(0, limit);
      last_id = row.id;
    }
    if (found.length < rows) return events;
    rows = Math.max(1, Math.ceil(((limit - events.length) * found.length) / events.length));
  }
}

const FIRST_PART = 8;

function eventsOf({ together, ...row }: EventRow): FeedEvent[] {
  // Written by `insertEvent` and `insertTogether`.
  const data = JSON.parse(row.data) as Record<string, unknown>;
  if (together === null) return [{ ...row, data }];
  const packed = JSON.parse(together) as Packed[];
  return packed.map(([back, stream, own, type = row.type]) => ({
    ...row,
    id: row.id - back,
    type,
    stream,
    data: { ...own, ...data },
  }));
}

const head = statement<{ space_id: string }, { last_id: number }>("select last_id from spaces where id = :space_id");

export async function findHead(db: Reader, space_id: string): Promise<number> {
  return (await db.get(head, { space_id }))?.last_id ?? 0;
}

interface Stream {
  space_id: string;
  topic: string;
  stream: string;
}

const purged = statement<Stream, { purged_id: number }>(
  "select purged_id from purges where space_id = :space_id and topic = :topic and stream = :stream",
);

/** Everything up to this position was purged from the stream; 0 when nothing was. */
export async function findPurged(db: Reader, { space_id, topic, stream }: Stream): Promise<number> {
  return (await db.get(purged, { space_id, topic, stream }))?.purged_id ?? 0;
}

const savePurge = statement<{ space_id: string; topic: string; stream: string; purged_id: number }>(
  `insert into purges (space_id, topic, stream, purged_id) values (:space_id, :topic, :stream, :purged_id)
   on conflict (space_id, topic, stream) do update set purged_id = excluded.purged_id`,
);

export async function insertPurge(
  tx: Tx,
  { topic, stream, purged_id }: Omit<Stream, "space_id"> & { purged_id: number },
): Promise<void> {
  await tx.run(savePurge, { space_id: tx.space_id, topic, stream, purged_id });
}

const oldest = statement<{ space_id: string }, { id: number }>(
  "select id from events where space_id = :space_id order by id limit 1",
);

export async function findOldestEvent(db: Reader, space_id: string): Promise<number | null> {
  return (await db.get(oldest, { space_id }))?.id ?? null;
}

const lastOfOldest = statement<{ space_id: string; before_id: number; limit: number }, { id: number | null }>(
  `select max(id) as id from
   (select id from events where space_id = :space_id and id < :before_id order by id limit :limit) as slice`,
);

/** Where the oldest `limit` events end; null when there are none. */
export async function findLastOfOldest(tx: Tx, args: { before_id: number; limit: number }): Promise<number | null> {
  return (await tx.get(lastOfOldest, { ...args, space_id: tx.space_id }))?.id ?? null;
}

const deleteUpTo = statement<{ space_id: string; up_to_id: number }>(
  "delete from events where space_id = :space_id and id <= :up_to_id",
);

export const deleteEventsUpTo = (tx: Tx, up_to_id: number): Promise<number> =>
  tx.run(deleteUpTo, { space_id: tx.space_id, up_to_id });

interface Mark {
  space_id: string;
  subscriber_id: string;
  topic: string;
  stream: string;
}

const mark = statement<Mark, { last_id: number }>(
  `select last_id from watermarks where space_id = :space_id and subscriber_id = :subscriber_id
   and topic = :topic and stream = :stream`,
);

export async function findWatermark(
  db: Reader,
  { space_id, subscriber_id, topic, stream }: Mark,
): Promise<number | undefined> {
  return (await db.get(mark, { space_id, subscriber_id, topic, stream }))?.last_id;
}

const saveMark = statement<{
  space_id: string;
  subscriber_id: string;
  topic: string;
  stream: string;
  last_id: number;
  updated_at: string;
}>(
  `insert into watermarks (space_id, subscriber_id, topic, stream, last_id, updated_at)
   values (:space_id, :subscriber_id, :topic, :stream, :last_id, :updated_at)
   on conflict (space_id, subscriber_id, topic, stream)
   do update set last_id = excluded.last_id, updated_at = excluded.updated_at`,
);

export async function saveWatermark(
  tx: Tx,
  watermark: Omit<Mark, "space_id"> & { last_id: number; updated_at: string },
): Promise<void> {
  const { subscriber_id, topic, stream, last_id, updated_at } = watermark;
  await tx.run(saveMark, { space_id: tx.space_id, subscriber_id, topic, stream, last_id, updated_at });
}
