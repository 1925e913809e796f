import type { Reader, Tx } from "../../../db/database.ts";
import { type Statement, statement } from "../../../db/statement.ts";
import type { SpaceRow } from "../tables.ts";

const spaceById = statement<{ id: string }, SpaceRow>(
  "select id, default_inbox_id, created_by, created_at, expires_at, emptied_at from spaces where id = :id",
);
export const findSpace = (db: Reader, id: string): Promise<SpaceRow | undefined> => db.get(spaceById, { id });

type CounterRow = Pick<SpaceRow, "id" | "created_at" | "expires_at" | "default_inbox_id"> & { last_id: number };
const counter = statement<{ id: string }, CounterRow>(
  "select id, created_at, expires_at, default_inbox_id, last_id from spaces where id = :id",
);
export const findCounter = (db: Reader, id: string): Promise<CounterRow | undefined> => db.get(counter, { id });

const openSpaces = statement<{ now: string }, SpaceRow>(
  `select id, default_inbox_id, created_by, created_at, expires_at, emptied_at from spaces
   where id <> 'hub' and emptied_at is null and (expires_at is null or expires_at > :now) order by created_at, id`,
);
/** Those that have not expired: of the others there may be many. */
export const listSpaces = (db: Reader, now: string): Promise<SpaceRow[]> => db.all(openSpaces, { now });

const spacesOf = statement<{ principal_id: string; now: string }, SpaceRow>(
  `select distinct s.id, s.default_inbox_id, s.created_by, s.created_at, s.expires_at, s.emptied_at
   from grants g join spaces s on s.id = g.space_id
   where g.principal_id = :principal_id and (s.expires_at is null or s.expires_at > :now) order by s.created_at, s.id`,
);
/** Those of them that somebody was let into by name. */
export const listSpacesOf = (db: Reader, args: { principal_id: string; now: string }): Promise<SpaceRow[]> =>
  db.all(spacesOf, args);

const newSpace = statement<{
  id: string;
  last_id: number;
  default_inbox_id: number;
  created_by: string;
  created_at: string;
  expires_at: string | null;
}>(
  `insert into spaces (id, last_id, default_inbox_id, created_by, created_at, expires_at)
   values (:id, :last_id, :default_inbox_id, :created_by, :created_at, :expires_at) on conflict do nothing`,
);
/** False when there is one of that name, or was. */
export const insertSpace = async (tx: Tx, row: Omit<SpaceRow, "emptied_at"> & { last_id: number }): Promise<boolean> =>
  (await tx.runCounted(newSpace, row)) === 1;

const letPeopleIn = statement<{ from_id: string; space_id: string; created_at: string }>(
  `insert into grants (principal_id, space_id, role, created_at) select g.principal_id, :space_id, g.role, :created_at
   from grants g join principals p on p.id = g.principal_id where g.space_id = :from_id and p.kind = 'human'`,
);
/** The people of one space into another. */
export const copyPeople = (tx: Tx, args: { from_id: string; space_id: string; created_at: string }): Promise<void> =>
  tx.run(letPeopleIn, args);

const expire = statement<{ id: string; expires_at: string }>(
  "update spaces set expires_at = :expires_at where id = :id",
);
export const expireSpace = (tx: Tx, args: { id: string; expires_at: string }): Promise<void> => tx.run(expire, args);

const markEmptied = statement<{ id: string; emptied_at: string }>(
  "update spaces set emptied_at = :emptied_at where id = :id",
);
export const emptySpace = (tx: Tx, args: { id: string; emptied_at: string }): Promise<void> =>
  tx.run(markEmptied, args);

const firstEmptied = statement<Record<string, never>, { emptied_at: string | null }>(
  "select min(emptied_at) as emptied_at from spaces where emptied_at is not null",
);
export const findFirstEmptied = async (db: Reader): Promise<string | null> =>
  (await db.get(firstEmptied, {}))?.emptied_at ?? null;

const slice = statement<{ before: string; limit: number }, { emptied_at: string | null }>(
  `select max(emptied_at) as emptied_at from
   (select emptied_at from spaces where emptied_at < :before order by emptied_at limit :limit) as slice`,
);
/** When the last of so many was emptied that were so before that time. */
export const findEndOfSlice = async (db: Reader, args: { before: string; limit: number }): Promise<string | null> =>
  (await db.get(slice, args))?.emptied_at ?? null;

const leftNowhere = statement<{ until: string }, { principal_id: string }>(
  `select l.principal_id from (select distinct g.principal_id from spaces s join grants g on g.space_id = s.id
   where s.emptied_at <= :until) as l where not exists
   (select 1 from grants g left join spaces s on s.id = g.space_id where g.principal_id = l.principal_id
   and (s.emptied_at is null or s.emptied_at > :until)) order by l.principal_id`,
);
/** Those who were let into no other space than such as were emptied until then. */
export const listLeftNowhere = async (db: Reader, until: string): Promise<string[]> =>
  (await db.all(leftNowhere, { until })).map(({ principal_id }) => principal_id);

const deleteGrantsThere = statement<{ until: string }>(
  "delete from grants where space_id in (select id from spaces where emptied_at <= :until)",
);
const deleteEmptied = statement<{ until: string }>("delete from spaces where emptied_at <= :until");
/** With what was granted in them. */
export async function deleteEmptiedSpaces(tx: Tx, until: string): Promise<void> {
  await tx.run(deleteGrantsThere, { until });
  await tx.run(deleteEmptied, { until });
}

const setDefault = statement<{ id: string; default_inbox_id: number }>(
  "update spaces set default_inbox_id = :default_inbox_id where id = :id",
);
export const setDefaultInbox = (tx: Tx, args: { id: string; default_inbox_id: number }): Promise<void> =>
  tx.run(setDefault, args);

const deletes = new Map<string, Statement<{ space_id: string }>>();
/** Everything of the transaction's space in a table that has a `space_id`. */
export function deleteRows(tx: Tx, table: string): Promise<void> {
  const known = deletes.get(table);
  const text = known ?? statement<{ space_id: string }>(`delete from ${table} where space_id = :space_id`);
  deletes.set(table, text);
  return tx.run(text, { space_id: tx.space_id });
}

const slices = new Map<string, Statement<{ space_id: string; limit: number }>>();
/** The oldest rows of the transaction's space in a table that has a `space_id` and an `id`. */
export function deleteOldestRows(tx: Tx, { table, limit }: { table: string; limit: number }): Promise<number> {
  const text =
    slices.get(table) ??
    statement<{ space_id: string; limit: number }>(
      `delete from ${table} where space_id = :space_id and id <=
       (select max(id) from (select id from ${table} where space_id = :space_id order by id limit :limit) as slice)`,
    );
  slices.set(table, text);
  return tx.runCounted(text, { space_id: tx.space_id, limit });
}
