import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { ItemRow } from "../tables.ts";

interface Of {
  space_id: string;
  principal_id: string;
}

const COLUMNS = "id, principal_id, kind, key, body, changed_id";

const save = statement<ItemRow & { space_id: string }>(
  `insert into timeline (space_id, ${COLUMNS}) values (:space_id, :id, :principal_id, :kind, :key, :body, :changed_id)
   on conflict (space_id, id) do update set body = excluded.body, changed_id = excluded.changed_id`,
);
export const saveItem = (tx: Tx, row: ItemRow): Promise<void> => tx.run(save, { ...row, space_id: tx.space_id });

const byKey = statement<Of & { key: string }, ItemRow>(
  `select ${COLUMNS} from timeline where space_id = :space_id and principal_id = :principal_id and key = :key`,
);
export const findItem = (tx: Tx, args: { principal_id: string; key: string }): Promise<ItemRow | undefined> =>
  tx.get(byKey, { ...args, space_id: tx.space_id });

const byId = statement<Of & { id: number }, ItemRow>(
  `select ${COLUMNS} from timeline where space_id = :space_id and principal_id = :principal_id and id = :id`,
);
export const findItemById = (
  db: Reader,
  { space_id, principal_id, id }: Of & { id: number },
): Promise<ItemRow | undefined> => db.get(byId, { space_id, principal_id, id });

const after = statement<Of & { after_id: number; limit: number }, ItemRow>(
  `select ${COLUMNS} from timeline where space_id = :space_id and principal_id = :principal_id and id > :after_id
   order by id limit :limit`,
);
export const listItemsAfter = (
  db: Reader,
  { space_id, principal_id, after_id, limit }: Of & { after_id: number; limit: number },
): Promise<ItemRow[]> => db.all(after, { space_id, principal_id, after_id, limit });

const before = statement<Of & { before_id: number; limit: number }, ItemRow>(
  `select ${COLUMNS} from timeline where space_id = :space_id and principal_id = :principal_id and id < :before_id
   order by id desc limit :limit`,
);
/** Newest first. */
export const listItemsBefore = (
  db: Reader,
  { space_id, principal_id, before_id, limit }: Of & { before_id: number; limit: number },
): Promise<ItemRow[]> => db.all(before, { space_id, principal_id, before_id, limit });

const changed = statement<Of & { after_id: number; limit: number }, ItemRow>(
  `select ${COLUMNS} from timeline where space_id = :space_id and principal_id = :principal_id
   and changed_id > :after_id order by changed_id limit :limit`,
);
/** What was made or has changed since, in that order. */
export const listItemsChanged = (
  db: Reader,
  { space_id, principal_id, after_id, limit }: Of & { after_id: number; limit: number },
): Promise<ItemRow[]> => db.all(changed, { space_id, principal_id, after_id, limit });

const newestChanges = statement<Of & { limit: number }, { changed_id: number }>(
  `select changed_id from timeline where space_id = :space_id and principal_id = :principal_id
   order by changed_id desc limit :limit`,
);
export const listNewestChanges = (
  db: Reader,
  { space_id, principal_id, limit }: Of & { limit: number },
): Promise<{ changed_id: number }[]> => db.all(newestChanges, { space_id, principal_id, limit });
