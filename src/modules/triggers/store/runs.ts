import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { PayloadRow, RunRow } from "../tables.ts";

const COLUMNS = `id, trigger_id, trigger_name, source, sender, slot, delivery, session_key, state, reason, fired_at, started_at,
   ended_at, outcome, cost_micros, task_id, run_id, cause, cause_how`;

const insert = statement<RunRow & { space_id: string }>(
  `insert into trigger_runs (space_id, id, trigger_id, trigger_name, source, sender, slot, delivery, session_key, state, reason,
   fired_at, started_at, ended_at, outcome, cost_micros, task_id, run_id, cause, cause_how)
   values (:space_id, :id, :trigger_id, :trigger_name, :source, :sender, :slot, :delivery, :session_key, :state, :reason,
   :fired_at, :started_at, :ended_at, :outcome, :cost_micros, :task_id, :run_id, :cause, :cause_how)`,
);
export const insertRun = (tx: Tx, row: RunRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const byId = statement<{ space_id: string; id: number }, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and id = :id`,
);
export const findRun = (db: Reader, args: { space_id: string; id: number }): Promise<RunRow | undefined> =>
  db.get(byId, args);

const byDelivery = statement<{ space_id: string; trigger_id: number; delivery: string }, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and trigger_id = :trigger_id and delivery = :delivery`,
);
export const findDelivery = (tx: Tx, trigger_id: number, delivery: string): Promise<RunRow | undefined> =>
  tx.get(byDelivery, { space_id: tx.space_id, trigger_id, delivery });

const byTask = statement<{ space_id: string; task_id: number }, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and task_id = :task_id`,
);
export const findRunOfTask = (tx: Tx, task_id: number): Promise<RunRow | undefined> =>
  tx.get(byTask, { space_id: tx.space_id, task_id });

const byRun = statement<{ space_id: string; run_id: number }, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and run_id = :run_id`,
);
export const findRunOfRun = (tx: Tx, run_id: number): Promise<RunRow | undefined> =>
  tx.get(byRun, { space_id: tx.space_id, run_id });

type Open = { space_id: string; trigger_id: number; limit: number };
const open = statement<Open, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and trigger_id = :trigger_id and ended_at is null
   order by id limit :limit`,
);
export const listOpen = (tx: Tx, trigger_id: number, limit: number): Promise<RunRow[]> =>
  tx.all(open, { space_id: tx.space_id, trigger_id, limit });

type Page = { space_id: string; before: number; limit: number };
const newest = statement<Page, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and id < :before order by id desc limit :limit`,
);
const newestOf = statement<Page & { name: string }, RunRow>(
  `select ${COLUMNS} from trigger_runs where space_id = :space_id and trigger_name = :name and id < :before
   order by id desc limit :limit`,
);
/** The newest first; without a name, of all triggers. */
export const listRuns = (db: Reader, { name, ...page }: Page & { name: string | undefined }): Promise<RunRow[]> =>
  name === undefined ? db.all(newest, page) : db.all(newestOf, { ...page, name });

type Ended = Pick<RunRow, "id" | "state" | "started_at" | "ended_at" | "outcome" | "cost_micros">;
const end = statement<Ended & { space_id: string }>(
  `update trigger_runs set state = :state, started_at = :started_at, ended_at = :ended_at, outcome = :outcome,
   cost_micros = :cost_micros where space_id = :space_id and id = :id and ended_at is null`,
);
export const endRun = (tx: Tx, { id, state, started_at, ended_at, outcome, cost_micros }: Ended): Promise<void> =>
  tx.run(end, { space_id: tx.space_id, id, state, started_at, ended_at, outcome, cost_micros });

const insertData = statement<PayloadRow & { space_id: string }>(
  "insert into trigger_payloads (space_id, id, media, payload) values (:space_id, :id, :media, :payload)",
);
export const insertPayload = (tx: Tx, row: PayloadRow): Promise<void> =>
  tx.run(insertData, { ...row, space_id: tx.space_id });

const data = statement<{ space_id: string; id: number }, PayloadRow>(
  "select id, media, payload from trigger_payloads where space_id = :space_id and id = :id",
);
export const findPayload = (db: Reader, args: { space_id: string; id: number }): Promise<PayloadRow | undefined> =>
  db.get(data, args);

const oldest = statement<{ space_id: string }, { id: number }>(
  "select id from trigger_runs where space_id = :space_id order by id limit 1",
);
export const findOldestRun = async (tx: Tx): Promise<number | undefined> =>
  (await tx.get(oldest, { space_id: tx.space_id }))?.id;

type Before = { space_id: string; before: number; limit: number };
const over = statement<Before, { id: number }>(
  `select id from trigger_runs where space_id = :space_id and id < :before and ended_at is not null order by id limit :limit`,
);
export const listOver = async (tx: Tx, before: number, limit: number): Promise<number[]> =>
  (await tx.all(over, { space_id: tx.space_id, before, limit })).map(({ id }) => id);

const remove = statement<{ space_id: string; id: number }>(
  "delete from trigger_runs where space_id = :space_id and id = :id",
);
const removeData = statement<{ space_id: string; id: number }>(
  "delete from trigger_payloads where space_id = :space_id and id = :id",
);
export async function deleteRuns(tx: Tx, ids: readonly number[]): Promise<void> {
  const rows = ids.map((id) => ({ space_id: tx.space_id, id }));
  await tx.runAll(remove, rows);
  await tx.runAll(removeData, rows);
}
