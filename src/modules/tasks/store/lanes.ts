import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type In = { space_id: string };

const insert = statement<In & { lane: string }>(
  "insert into task_lanes (space_id, lane) values (:space_id, :lane) on conflict (space_id, lane) do nothing",
);
export const insertLane = (tx: Tx, lane: string): Promise<void> => tx.run(insert, { lane, space_id: tx.space_id });

const list = statement<In, { lane: string }>("select lane from task_lanes where space_id = :space_id");
export const listLanes = async (db: Reader, space_id: string): Promise<string[]> =>
  (await db.all(list, { space_id })).map(({ lane }) => lane);
