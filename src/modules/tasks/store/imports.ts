import type { Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type Key = { space_id: string; source_key: string };

const find = statement<Key, { task_id: number }>(
  "select task_id from task_imports where space_id = :space_id and source_key = :source_key",
);
/** The task that it became. */
export const findImported = async (tx: Tx, source_key: string): Promise<number | undefined> =>
  (await tx.get(find, { space_id: tx.space_id, source_key }))?.task_id;

const insert = statement<Key & { task_id: number }>(
  "insert into task_imports (space_id, source_key, task_id) values (:space_id, :source_key, :task_id)",
);
export const insertImported = (tx: Tx, row: { source_key: string; task_id: number }): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });
