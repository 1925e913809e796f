import type { Reader, Tx } from "../../../db/database.ts";
import { type Statement, statement } from "../../../db/statement.ts";
import type { SpaceRow } from "../tables.ts";

const spaceById = statement<{ id: string }, SpaceRow>(
  "select id, default_inbox_id, created_by, created_at, expires_at, emptied_at from spaces where id = :id",
);
export const findSpace = (db: Reader, id: string): Promise<SpaceRow | undefined> => db.get(spaceById, { id });

const openSpaces = statement<{ now: string }, SpaceRow>(
  `select id, default_inbox_id, created_by, created_at, expires_at, emptied_at from spaces
   where id <> 'hub' and (expires_at is null or expires_at > :now) order by created_at, id`,
);
/** Those that have not expired: of the others there are more every day. */
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
export const insertSpace = async (
  tx: Tx,
  row: { id: string; first_id: number; created_by: string; created_at: string; expires_at: string | null },
): Promise<boolean> => {
  const { first_id, ...rest } = row;
  return (await tx.runCounted(newSpace, { ...rest, last_id: first_id, default_inbox_id: first_id })) === 1;
};

const expire = statement<{ id: string; expires_at: string }>(
  "update spaces set expires_at = :expires_at where id = :id",
);
export const expireSpace = (tx: Tx, args: { id: string; expires_at: string }): Promise<void> => tx.run(expire, args);

const markEmptied = statement<{ id: string; emptied_at: string }>(
  "update spaces set emptied_at = :emptied_at where id = :id",
);
export const emptySpace = (tx: Tx, args: { id: string; emptied_at: string }): Promise<void> =>
  tx.run(markEmptied, args);

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
