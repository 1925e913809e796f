import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type In = { space_id: string };

/** Many dead tasks that are tried again, some a minute. */
export type RequeueRow = {
  id: number;
  /** Which ones, as JSON. */
  filter: string;
  per_minute: number;
  total: number;
  requeued: number;
  /** Their dedup key was another task's. */
  left_out: number;
  /** Those up to here were seen to. */
  after_id: number;
  started_by: string;
  started_at: string;
  stopped_at: string | null;
};

const insert = statement<In & RequeueRow>(
  `insert into task_requeues (space_id, id, filter, per_minute, total, requeued, left_out, after_id, started_by, started_at, stopped_at)
   values (:space_id, :id, :filter, :per_minute, :total, :requeued, :left_out, :after_id, :started_by, :started_at, :stopped_at)`,
);
export const insertRequeue = (tx: Tx, row: RequeueRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const find = statement<In & { id: number }, RequeueRow>(
  `select id, filter, per_minute, total, requeued, left_out, after_id, started_by, started_at, stopped_at from task_requeues
   where space_id = :space_id and id = :id`,
);
export const findRequeue = (db: Reader, args: In & { id: number }): Promise<RequeueRow | undefined> =>
  db.get(find, args);

const advance = statement<In & Pick<RequeueRow, "id" | "requeued" | "left_out" | "after_id" | "stopped_at">>(
  `update task_requeues set requeued = :requeued, left_out = :left_out, after_id = :after_id, stopped_at = :stopped_at
   where space_id = :space_id and id = :id`,
);
export const updateRequeue = (tx: Tx, { id, requeued, left_out, after_id, stopped_at }: RequeueRow): Promise<void> =>
  tx.run(advance, { id, requeued, left_out, after_id, stopped_at, space_id: tx.space_id });

const remove = statement<In & { before_id: number }>(
  "delete from task_requeues where space_id = :space_id and id < :before_id and stopped_at is not null",
);
/** Those that are over. */
export const deleteRequeuesBefore = (tx: Tx, before_id: number): Promise<void> =>
  tx.run(remove, { before_id, space_id: tx.space_id });
