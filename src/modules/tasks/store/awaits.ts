import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { AwaitRow } from "../tables.ts";

const AWAIT = `id, task_id, waiter_id, waiter, trigger_name, session_key, registered_at, status, attempt, ended_at,
  offered_at, offered_by, offers, consumed_at`;

type In = { space_id: string };

const insert = statement<AwaitRow & In>(
  `insert into task_awaits (space_id, id, task_id, waiter_id, waiter, trigger_name, session_key, registered_at, status,
   attempt, ended_at, offered_at, offered_by, offers, consumed_at)
   values (:space_id, :id, :task_id, :waiter_id, :waiter, :trigger_name, :session_key, :registered_at, :status,
   :attempt, :ended_at, :offered_at, :offered_by, :offers, :consumed_at) on conflict do nothing`,
);
export const insertAwait = (tx: Tx, row: AwaitRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const list = statement<In & { task_id: number }, AwaitRow>(
  // By id alone SQLite would rather go through those of the whole space.
  `select ${AWAIT} from task_awaits where space_id = :space_id and task_id = :task_id order by registered_at, id`,
);
export const listAwaits = (db: Reader, args: In & { task_id: number }): Promise<AwaitRow[]> => db.all(list, args);

type Ending = In & { task_id: number; status: string; attempt: number; ended_at: string };

const end = statement<Ending>(
  `update task_awaits set status = :status, attempt = :attempt, ended_at = :ended_at, offered_at = null,
   consumed_at = null where space_id = :space_id and task_id = :task_id`,
);
/** What they wait for has ended. */
export const endAwaits = (tx: Tx, args: Omit<Ending, "space_id">): Promise<void> =>
  tx.run(end, { ...args, space_id: tx.space_id });
