import type { Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type In = { space_id: string };

const oldest = statement<In, { id: number }>("select id from questions where space_id = :space_id order by id limit 1");
export const findOldest = async (tx: Tx): Promise<number | undefined> =>
  (await tx.get(oldest, { space_id: tx.space_id }))?.id;

type Old = { before_id: number; before: string; limit: number };

const over = statement<In & Old, { id: number }>(
  `select q.id from questions q join notices n on n.space_id = q.space_id and n.id = q.id
   where q.space_id = :space_id and q.id < :before_id and n.state <> 'open'
   and coalesce(n.settled_at, n.expires_at) < :before
   and not exists (select 1 from checkpoint_questions h join checkpoints c on c.space_id = h.space_id
     and c.id = h.checkpoint_id where h.space_id = q.space_id and h.question_id = q.id and c.state = 'waiting')
   order by q.id limit :limit`,
);
/** Those that were over before that, and that no workflow which is paused stopped for. */
export const listOver = async (tx: Tx, args: Old): Promise<number[]> =>
  (await tx.all(over, { ...args, space_id: tx.space_id })).map(({ id }) => id);

type Ref = In & { id: number };
const FORGET = [
  // By its whole key: SQLite would go through all of the space otherwise, though there is an index.
  statement<Ref>(
    `delete from checkpoint_questions where space_id = :space_id and question_id = :id and checkpoint_id in
     (select h.checkpoint_id from checkpoint_questions h where h.space_id = :space_id and h.question_id = :id)`,
  ),
  statement<Ref>("delete from questions where space_id = :space_id and id = :id"),
];
const emptied = statement<In & { before_id: number }>(
  `delete from checkpoints where space_id = :space_id and id < :before_id and state <> 'waiting'
   and not exists (select 1 from checkpoint_questions h where h.space_id = checkpoints.space_id
     and h.checkpoint_id = checkpoints.id)`,
);
/** With the checkpoints of which nothing is left. */
export async function deleteQuestions(tx: Tx, ids: readonly number[], before_id: number): Promise<void> {
  const rows = ids.map((id) => ({ space_id: tx.space_id, id }));
  for (const forget of FORGET) await tx.runAll(forget, rows);
  await tx.run(emptied, { space_id: tx.space_id, before_id });
}
