import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { PauseRow } from "../tables.ts";

const find = statement<{ space_id: string }, PauseRow>(
  "select paused_by, paused_at from run_pauses where space_id = :space_id",
);
export const findPause = (db: Reader, space_id: string): Promise<PauseRow | undefined> => db.get(find, { space_id });

const insert = statement<PauseRow & { space_id: string }>(
  `insert into run_pauses (space_id, paused_by, paused_at) values (:space_id, :paused_by, :paused_at)
   on conflict (space_id) do nothing`,
);
export const insertPause = (tx: Tx, row: PauseRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const remove = statement<{ space_id: string }>("delete from run_pauses where space_id = :space_id");
export const deletePause = (tx: Tx): Promise<void> => tx.run(remove, { space_id: tx.space_id });
