import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { ItemRow } from "../tables.ts";

type In = { space_id: string };

const insert = statement<ItemRow & In>(
  `insert into notice_items (space_id, notice_id, id, kind, topic, ref, text)
   values (:space_id, :notice_id, :id, :kind, :topic, :ref, :text)`,
);
export const insertItem = (tx: Tx, row: ItemRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const ITEM = "select notice_id, id, kind, topic, ref, text from notice_items";

type About = { kind: string; topic: string; ref: number };

const ABOUT = "where space_id = :space_id and topic = :topic and ref = :ref and kind = :kind";
const about = statement<About & In, ItemRow>(
  // Else SQLite would rather go through all of the space.
  `${ITEM} indexed by notice_items_about ${ABOUT}`,
  `${ITEM} ${ABOUT}`,
);
export const listItemsAbout = (db: Reader, args: About & In): Promise<ItemRow[]> => db.all(about, args);

const first = statement<In & { notice_id: number; limit: number }, ItemRow>(
  `${ITEM} where space_id = :space_id and notice_id = :notice_id order by id limit :limit`,
);
/** The oldest. */
export const listItems = (db: Reader, args: In & { notice_id: number; limit: number }): Promise<ItemRow[]> =>
  db.all(first, args);

const remove = statement<In & { notice_id: number; id: number }>(
  "delete from notice_items where space_id = :space_id and notice_id = :notice_id and id = :id",
);
export const deleteItem = (tx: Tx, { notice_id, id }: ItemRow): Promise<void> =>
  tx.run(remove, { notice_id, id, space_id: tx.space_id });

const removeAll = statement<In & { notice_id: number }>(
  "delete from notice_items where space_id = :space_id and notice_id = :notice_id",
);
export const deleteItems = (tx: Tx, notice_id: number): Promise<void> =>
  tx.run(removeAll, { notice_id, space_id: tx.space_id });
