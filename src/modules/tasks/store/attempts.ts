import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { AttemptRow } from "../tables.ts";

const insert = statement<AttemptRow & { space_id: string }>(
  `insert into task_attempts (space_id, task_id, attempt, worker_id, worker, claimed_at, ended_at, outcome, error)
   values (:space_id, :task_id, :attempt, :worker_id, :worker, :claimed_at, :ended_at, :outcome, :error)`,
);
export const insertAttempt = (tx: Tx, row: AttemptRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const list = statement<{ space_id: string; task_id: number }, AttemptRow>(
  `select task_id, attempt, worker_id, worker, claimed_at, ended_at, outcome, error from task_attempts
   where space_id = :space_id and task_id = :task_id order by attempt`,
);
export const listAttempts = (db: Reader, args: { space_id: string; task_id: number }): Promise<AttemptRow[]> =>
  db.all(list, args);

type Total = { status: string; channel: string; tasks: number };

const add = statement<Omit<Total, "tasks"> & { space_id: string; by: number }>(
  `insert into task_totals (space_id, status, channel, tasks) values (:space_id, :status, :channel, :by)
   on conflict (space_id, status, channel) do update set tasks = task_totals.tasks + excluded.tasks`,
);
/** So many more, or fewer, of what is over. */
export const countEnded = (tx: Tx, { tasks, ...total }: Total): void =>
  tx.addUp(add, { ...total, space_id: tx.space_id }, tasks);

const totals = statement<{ space_id: string }, Total>(
  "select status, channel, tasks from task_totals where space_id = :space_id and tasks > 0",
);
const waiting = statement<{ space_id: string }, Total>(
  `select status, channel, count(*) as tasks from tasks
   where space_id = :space_id and status in ('pending', 'processing') group by status, channel`,
);
/** How many there are, by status and channel: of those that are over as they were counted. */
export const listTotals = async (db: Reader, space_id: string): Promise<Total[]> => [
  ...(await db.all(waiting, { space_id })),
  ...(await db.all(totals, { space_id })),
];
