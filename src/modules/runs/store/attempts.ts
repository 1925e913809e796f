import type { Database, Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { AttemptRow, OutputRow, RunRow } from "../tables.ts";

const COLUMNS = `run_id, attempt, cookie, node, host, pid, session_id, is_resumed, claimed_at, started_at, ended_at, outcome,
   exit_code, signal, error, cost_micros`;

const insert = statement<AttemptRow & { space_id: string }>(
  `insert into run_attempts (space_id, ${COLUMNS})
   values (:space_id, :run_id, :attempt, :cookie, :node, :host, :pid, :session_id, :is_resumed, :claimed_at, :started_at,
   :ended_at, :outcome, :exit_code, :signal, :error, :cost_micros)`,
);
export const insertAttempt = (tx: Tx, row: AttemptRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

type Started = { space_id: string; run_id: number; attempt: number; pid: number; started_at: string };

const started = statement<Started>(
  `update run_attempts set pid = :pid, started_at = :started_at
   where space_id = :space_id and run_id = :run_id and attempt = :attempt`,
);
export const startAttempt = (tx: Tx, args: Omit<Started, "space_id">): Promise<void> =>
  tx.run(started, { ...args, space_id: tx.space_id });

const session = statement<{ space_id: string; run_id: number; attempt: number; session_id: string }>(
  `update run_attempts set session_id = :session_id
   where space_id = :space_id and run_id = :run_id and attempt = :attempt`,
);
export const saveAttemptSession = (tx: Tx, args: { run_id: number; attempt: number; session_id: string }) =>
  tx.run(session, { ...args, space_id: tx.space_id });

type Ended = Pick<
  AttemptRow,
  "run_id" | "attempt" | "ended_at" | "outcome" | "exit_code" | "signal" | "error" | "cost_micros"
>;

const ended = statement<Ended & { space_id: string }>(
  `update run_attempts set ended_at = :ended_at, outcome = :outcome, exit_code = :exit_code, signal = :signal,
   error = :error, cost_micros = :cost_micros
   where space_id = :space_id and run_id = :run_id and attempt = :attempt`,
);
export const endAttempt = (tx: Tx, args: Ended): Promise<void> => tx.run(ended, { ...args, space_id: tx.space_id });

const ofRun = statement<{ space_id: string; run_id: number }, AttemptRow>(
  `select ${COLUMNS} from run_attempts where space_id = :space_id and run_id = :run_id order by attempt`,
);
export const listAttempts = (db: Reader, args: { space_id: string; run_id: number }): Promise<AttemptRow[]> =>
  db.all(ofRun, args);

type Owner = Pick<RunRow, "space_id" | "id" | "attempt" | "state" | "node" | "node_boot"> & { of_attempt: number };

const byCookie = statement<{ cookie: string }, Owner>(
  `select r.space_id, r.id, r.attempt, r.state, r.node, r.node_boot, a.attempt as of_attempt from run_attempts a
   join runs r on r.space_id = a.space_id and r.id = a.run_id where a.cookie = :cookie`,
);
/** The run that a process with this cookie was started for; undefined for one of another hub. */
export const findByCookie = (db: Reader, cookie: string): Promise<Owner | undefined> => db.get(byCookie, { cookie });

const any = statement<Record<never, never>, { run_id: number }>("select run_id from run_attempts limit 1");
/** Whether a program was ever started; where none was, there is nothing of one to be looked for. */
export const hasAttempts = async (db: Reader): Promise<boolean> => (await db.get(any, {})) !== undefined;

const begin = statement<OutputRow & { space_id: string }>(
  `insert into run_outputs (space_id, run_id, attempt, bytes, output)
   values (:space_id, :run_id, :attempt, :bytes, :output)
   on conflict (space_id, run_id) do update set attempt = excluded.attempt, bytes = excluded.bytes,
   output = excluded.output`,
);
export const saveOutput = (tx: Tx, row: OutputRow): Promise<void> => tx.run(begin, { ...row, space_id: tx.space_id });

const printed = statement<OutputRow & { space_id: string }>(
  `update run_outputs set bytes = :bytes, output = :output
   where space_id = :space_id and run_id = :run_id and attempt = :attempt`,
);
/** Of an attempt that goes on. False when it is no longer the last one. */
export const updateOutput = async (database: Database, row: OutputRow & { space_id: string }): Promise<boolean> =>
  (await database.compareAndSet(printed, row)) === 1;

const output = statement<{ space_id: string; run_id: number }, OutputRow>(
  "select run_id, attempt, bytes, output from run_outputs where space_id = :space_id and run_id = :run_id",
);
export const findOutput = (db: Reader, args: { space_id: string; run_id: number }): Promise<OutputRow | undefined> =>
  db.get(output, args);

const sizes = statement<{ space_id: string; run_id: number }, { bytes: number }>(
  "select bytes from run_outputs where space_id = :space_id and run_id = :run_id",
);
export const findOutputBytes = async (db: Reader, args: { space_id: string; run_id: number }): Promise<number> =>
  (await db.get(sizes, args))?.bytes ?? 0;
