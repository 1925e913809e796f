import type { Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

const oldest = statement<{ space_id: string }, { id: number }>(
  "select id from runs where space_id = :space_id order by id limit 1",
);
export const findOldest = async (tx: Tx): Promise<number | undefined> =>
  (await tx.get(oldest, { space_id: tx.space_id }))?.id;

const over = statement<{ space_id: string; before: number; limit: number }, { id: number }>(
  `select id from runs where space_id = :space_id and id < :before and ended_at is not null order by id limit :limit`,
);
export const listOver = async (tx: Tx, before: number, limit: number): Promise<number[]> =>
  (await tx.all(over, { space_id: tx.space_id, before, limit })).map(({ id }) => id);

type Ref = { space_id: string; id: number };
const FORGET = [
  statement<Ref>("delete from runs where space_id = :space_id and id = :id"),
  statement<Ref>("delete from run_attempts where space_id = :space_id and run_id = :id"),
  statement<Ref>("delete from run_wakes where space_id = :space_id and run_id = :id"),
  statement<Ref>("delete from run_outputs where space_id = :space_id and run_id = :id"),
];
export async function deleteRuns(tx: Tx, ids: readonly number[]): Promise<void> {
  const rows = ids.map((id) => ({ space_id: tx.space_id, id }));
  for (const forget of FORGET) await tx.runAll(forget, rows);
}
