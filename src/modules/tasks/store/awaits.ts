import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { AwaitRow, OwedRow } from "../tables.ts";

const AWAIT = `id, task_id, waiter_id, waiter, trigger_name, session_key, run_id, registered_at, status, attempt,
  ended_at, offered_at, offered_by, offers, filed, filed_in, consumed_at`;

type In = { space_id: string };

const insert = statement<AwaitRow & In>(
  `insert into task_awaits (space_id, id, task_id, waiter_id, waiter, trigger_name, session_key, run_id, registered_at,
   status, attempt, ended_at, offered_at, offered_by, offers, filed, filed_in, consumed_at)
   values (:space_id, :id, :task_id, :waiter_id, :waiter, :trigger_name, :session_key, :run_id, :registered_at,
   :status, :attempt, :ended_at, :offered_at, :offered_by, :offers, :filed, :filed_in, :consumed_at) on conflict do nothing`,
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
   offered_by = null, consumed_at = null where space_id = :space_id and task_id = :task_id`,
);
/** What they wait for has ended. */
export const endAwaits = (tx: Tx, args: Omit<Ending, "space_id">): Promise<void> =>
  tx.run(end, { ...args, space_id: tx.space_id });

const OWED = `a.id, a.task_id, a.waiter_id, a.waiter, a.trigger_name, a.session_key, a.run_id, a.registered_at, a.status,
  a.attempt, a.ended_at, a.offered_at, a.offered_by, a.offers, a.filed, a.filed_in, a.consumed_at, t.channel, t.response_summary, t.error`;

const one = statement<In & { id: number }, OwedRow>(
  `select ${OWED} from task_awaits a join tasks t on t.space_id = a.space_id and t.id = a.task_id
   where a.space_id = :space_id and a.id = :id`,
);
/** Who waits, and with what the task ended if it has. */
export const findAwait = (db: Reader, args: In & { id: number }): Promise<OwedRow | undefined> => db.get(one, args);

const owed = statement<In & { after_id: number; limit: number }, OwedRow>(
  `select ${OWED} from task_awaits a join tasks t on t.space_id = a.space_id and t.id = a.task_id
   where a.space_id = :space_id and a.ended_at is not null and a.consumed_at is null and a.trigger_name is not null
   and a.id > :after_id order by a.id limit :limit`,
);
/** Ends that a trigger waits for and has not taken. */
export const listOwed = (db: Reader, args: In & { after_id: number; limit: number }): Promise<OwedRow[]> =>
  db.all(owed, args);

const owedToAll = statement<In & { limit: number }, OwedRow>(
  `select ${OWED} from task_awaits a join tasks t on t.space_id = a.space_id and t.id = a.task_id
   where a.space_id = :space_id and a.ended_at is not null and a.consumed_at is null
   order by a.ended_at, a.id limit :limit`,
);
/** The same of whoever waits, and has not been told either. */
export const listOwedToAll = (db: Reader, args: In & { limit: number }): Promise<OwedRow[]> => db.all(owedToAll, args);

type Fenced = { id: number; attempt: number };

const offer = statement<In & Fenced & { offered_at: string; offered_by: string }>(
  `update task_awaits set offered_at = :offered_at, offered_by = :offered_by, offers = offers + 1
   where space_id = :space_id and id = :id and attempt = :attempt and ended_at is not null and consumed_at is null`,
);
const file = statement<In & Fenced & { filed_in: string }>(
  `update task_awaits set filed = :attempt, filed_in = :filed_in
   where space_id = :space_id and id = :id and attempt = :attempt`,
);
/** There is a file that tells of it. */
export const noteFile = (tx: Tx, args: Fenced & { filed_in: string }): Promise<void> =>
  tx.run(file, { ...args, space_id: tx.space_id });

const unfile = statement<In & { id: number }>(
  "update task_awaits set filed = null where space_id = :space_id and id = :id",
);
/** The file is gone: another may have its name. */
export const noteNoFile = (tx: Tx, id: number): Promise<void> => tx.run(unfile, { id, space_id: tx.space_id });

/** False if it ended otherwise meanwhile, or was taken. */
export const offerAwait = async (tx: Tx, args: Fenced & { offered_at: string; offered_by: string }): Promise<boolean> =>
  (await tx.runCounted(offer, { ...args, space_id: tx.space_id })) === 1;

const consume = statement<In & Fenced & { consumed_at: string }>(
  `update task_awaits set consumed_at = :consumed_at
   where space_id = :space_id and id = :id and attempt = :attempt and ended_at is not null and consumed_at is null`,
);
/** False if it ended otherwise meanwhile, or was taken. */
export const consumeAwait = async (tx: Tx, args: Fenced & { consumed_at: string }): Promise<boolean> =>
  (await tx.runCounted(consume, { ...args, space_id: tx.space_id })) === 1;

const anew = statement<In & { task_id: number }>(
  `update task_awaits set status = null, attempt = null, ended_at = null, offered_at = null, offered_by = null,
   consumed_at = null where space_id = :space_id and task_id = :task_id`,
);
/** It has not ended after all. */
export const resetAwaits = (tx: Tx, task_id: number): Promise<void> => tx.run(anew, { task_id, space_id: tx.space_id });
