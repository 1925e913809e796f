import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type Whose = { space_id: string; principal_id: string };
type LaterRow = { ref: number; id: number; until_at: string };

const hidden = statement<Whose & { now: string }, { ref: number; until_at: string }>(
  `select ref, until_at from need_laters where space_id = :space_id and principal_id = :principal_id and until_at > :now`,
);
/** What somebody wants to see again later. */
export const listPutOff = (
  db: Reader,
  args: Whose & { now: string },
): Promise<readonly { ref: number; until_at: string }[]> => db.all(hidden, args);

const until = statement<{ space_id: string; ref: number; now: string }, { until_at: string | null }>(
  "select min(until_at) as until_at from need_laters where space_id = :space_id and ref = :ref and until_at > :now",
);
/** When the first of those who put it off will see it again; null if nobody did. */
export const findPutOffUntil = async (
  db: Reader,
  args: { space_id: string; ref: number; now: string },
): Promise<string | null> => (await db.get(until, args))?.until_at ?? null;

const find = statement<Whose & { ref: number }, LaterRow>(
  `select ref, id, until_at from need_laters where space_id = :space_id and principal_id = :principal_id and ref = :ref`,
);
export const findLater = (db: Reader, args: Whose & { ref: number }): Promise<LaterRow | undefined> =>
  db.get(find, args);

const save = statement<Whose & LaterRow>(
  `insert into need_laters (space_id, principal_id, ref, id, until_at) values (:space_id, :principal_id, :ref, :id, :until_at)
   on conflict (space_id, principal_id, ref) do update set id = excluded.id, until_at = excluded.until_at`,
);
export const saveLater = (tx: Tx, row: Omit<Whose, "space_id"> & LaterRow): Promise<void> =>
  tx.run(save, { ...row, space_id: tx.space_id });

const byId = statement<{ space_id: string; id: number }, { principal_id: string; ref: number }>(
  "select principal_id, ref from need_laters where space_id = :space_id and id = :id",
);
export const findLaterById = (tx: Tx, id: number): Promise<{ principal_id: string; ref: number } | undefined> =>
  tx.get(byId, { id, space_id: tx.space_id });

const remove = statement<{ space_id: string; id: number }>(
  "delete from need_laters where space_id = :space_id and id = :id",
);
export const deleteLater = (tx: Tx, id: number): Promise<void> => tx.run(remove, { id, space_id: tx.space_id });
