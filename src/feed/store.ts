import type { Reader, Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { type CauseColumns, fromColumns } from "./cause-columns.ts";
import type { Cause, FeedEvent } from "./event.ts";

/**
 * With `data` as JSON. Where several events are one row, it is that of the last, with the data that all have in common;
 * `together` has what each has of its own.
 */
export type EventRow = Omit<FeedEvent, "data" | "live"> & { data: string; together: string | null };

const insert = statement<EventRow & CauseColumns & { space_id: string }>(
  `insert into events (space_id, id, type, topic, stream, ref, actor_id, data, together, cause, cause_how)
   values (:space_id, :id, :type, :topic, :stream, :ref, :actor_id, :data, :together, :cause, :cause_how)`,
);

const rowOf = (
  { space_id }: Tx,
  { id, type, topic, stream, ref, actor_id, data }: FeedEvent,
  { together, cause }: { together: string | null; cause: Cause | undefined },
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
  cause: cause ? cause.id : null,
  cause_how: cause ? cause.how : null,
});

export const insertEvent = (tx: Tx, event: FeedEvent, cause: Cause | undefined): Promise<void> =>
  tx.run(insert, rowOf(tx, event, { together: null, cause }));

export const insertEvents = (tx: Tx, events: readonly FeedEvent[], cause: Cause | undefined): Promise<void> =>
  tx.runAll(
    insert,
    events.map((event) => rowOf(tx, event, { together: null, cause })),
  );

/** What events of one moment have in common, and what each has of its own. */
export type GroupFields = Pick<FeedEvent, "topic" | "ref" | "actor_id" | "data"> & { cause: Cause | undefined };
export type GroupMember = Pick<FeedEvent, "id" | "type" | "stream" | "data">;

/** One of those in `together`: how far its id lies before the row's, and its type only where that is not the row's. */
type Packed = [back: number, stream: string, data: object, type?: string];

/** So many in a row: whoever wants the last of them takes all of them apart. */
const MOST_IN_A_GROUP = 100;

/** By the id of the last, so that whoever reads on from the middle finds the row. */
export async function insertGroup(
  tx: Tx,
  { cause, ...common }: GroupFields,
  events: readonly GroupMember[],
): Promise<void> {
  const rows = [];
  for (let at = 0; at < events.length; at += MOST_IN_A_GROUP) {
    const some = events.slice(at, at + MOST_IN_A_GROUP);
    const last = some.at(-1);
    if (!last) break;
    const { id, type, stream } = last;
    const packed = some.map((event): Packed => {
      const own = [id - event.id, event.stream, event.data] as const;
      return event.type === type ? [...own] : [...own, event.type];
    });
    rows.push(rowOf(tx, { ...common, id, type, stream }, { together: JSON.stringify(packed), cause }));
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

export function eventsOf(row: EventRow): FeedEvent[] {
  const { id, topic, ref, actor_id, together } = row;
  // Written by `insertEvent` and `insertGroup`.
  const data = JSON.parse(row.data) as object;
  if (together === null) return [{ id, type: row.type, topic, stream: row.stream, ref, actor_id, data }];
  const packed = JSON.parse(together) as Packed[];
  return packed.map(([back, stream, own, type = row.type]) => ({
    id: id - back,
    type,
    topic,
    stream,
    ref,
    actor_id,
    data: { ...own, ...data },
  }));
}

type CausedRow = EventRow & CauseColumns & { by: string | null };

const CAUSED = `select e.id, e.type, e.topic, e.stream, e.ref, e.actor_id, e.data, e.together, e.cause, e.cause_how,
   p.name as by from events e left join principals p on p.id = e.actor_id where e.space_id = :space_id`;

const atOrBehind = statement<{ space_id: string; id: number }, CausedRow>(
  `${CAUSED} and e.id >= :id order by e.id limit 1`,
);

/** With who did it, null for the hub itself, and what led to it. */
export async function findEvent(
  db: Reader,
  args: { space_id: string; id: number },
): Promise<{ event: FeedEvent; by: string | null; cause: Cause | undefined } | undefined> {
  const row = await db.get(atOrBehind, args);
  if (!row) return undefined;
  const { by, cause, cause_how, ...stored } = row;
  const event = eventsOf(stored).find(({ id }) => id === args.id);
  return event && { event, by, cause: fromColumns({ cause, cause_how }) };
}

const causedBy = statement<{ space_id: string; cause: number; limit: number }, EventRow>(
  // Their ids first, which are all in the index: asked for whole rows, SQLite goes through the space instead.
  `select id, type, topic, stream, ref, actor_id, data, together from events where space_id = :space_id and id in
   (select id from events where space_id = :space_id and cause = :cause order by id limit :limit) order by id`,
);

/** What it led to at once, oldest first; of several events in one row the first. */
export const listCausedBy = async (
  db: Reader,
  args: { space_id: string; cause: number; limit: number },
): Promise<number[]> => (await db.all(causedBy, args)).map((row) => eventsOf(row)[0]?.id ?? row.id);

/** As many topics as anybody follows at once. */
const TOPICS = Array.from("abcdefghijklmnop", (letter) => `topic_${letter}`);

const scanned = statement<
  { space_id: string; after_id: number; limit: number },
  { last_id: number | null; rows: number }
>(
  `select max(id) as last_id, count(*) as rows from
   (select id from events where space_id = :space_id and id > :after_id order by id limit :limit) as page`,
);
const ofTopics = statement<Record<string, string | number | null>, EventRow>(
  `select id, type, topic, stream, ref, actor_id, data, together from events
   where space_id = :space_id and id > :after_id and id <= :last_id
   and topic in (${TOPICS.map((name) => `:${name}`).join(", ")}) order by id limit :limit`,
);

interface Page {
  space_id: string;
  topics: readonly string[];
  after_id: number;
  /** How many rows it goes through at most, whoever's they are, and how many it gives. */
  limits: { scanned: number; wanted: number };
}

/**
 * The rows of some topics behind a position. Counted by what is gone through: an index by topic would make every insert
 * dearer, and a limit on what is found alone would go through a whole feed of others' for the one that is wanted.
 */
export async function listRowsOf(
  db: Reader,
  { space_id, topics, after_id, limits }: Page,
): Promise<{ rows: EventRow[]; last_id: number; more: boolean }> {
  if (topics.length > TOPICS.length) throw new Error(`at most ${TOPICS.length} topics are followed at once`);
  const page = await db.get(scanned, { space_id, after_id, limit: limits.scanned });
  const { last_id = null, rows: through = 0 } = page ?? {};
  if (last_id === null) return { rows: [], last_id: after_id, more: false };
  const named = Object.fromEntries(TOPICS.map((name, at) => [name, topics[at] ?? null]));
  const rows = await db.all(ofTopics, { ...named, space_id, after_id, last_id, limit: limits.wanted });
  const full = rows.length === limits.wanted ? rows.at(-1)?.id : undefined;
  return { rows, last_id: full ?? last_id, more: full !== undefined || Number(through) === limits.scanned };
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

export const deleteEventsUpTo = (tx: Tx, up_to_id: number): Promise<void> =>
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

const marks = statement<Omit<Mark, "stream">, { stream: string; last_id: number }>(
  `select stream, last_id from watermarks where space_id = :space_id and subscriber_id = :subscriber_id
   and topic = :topic order by stream`,
);
/** Those of a subscriber in all streams of a topic. */
export const listWatermarks = (
  db: Reader,
  args: Omit<Mark, "stream">,
): Promise<{ stream: string; last_id: number }[]> => db.all(marks, args);

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

export function saveWatermark(
  tx: Tx,
  watermark: Omit<Mark, "space_id"> & { last_id: number; updated_at: string },
): Promise<void> {
  const { subscriber_id, topic, stream, last_id, updated_at } = watermark;
  return tx.run(saveMark, { space_id: tx.space_id, subscriber_id, topic, stream, last_id, updated_at });
}
