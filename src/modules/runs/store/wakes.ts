import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { RunRow, RunWakeRow } from "../tables.ts";

type In = { space_id: string };

const insert = statement<RunWakeRow & In>(
  `insert into run_wakes (space_id, run_id, wake_id, wake_attempt, waited_in, told)
   values (:space_id, :run_id, :wake_id, :wake_attempt, :waited_in, :told)`,
);
export const insertWake = (tx: Tx, row: RunWakeRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const list = statement<In & { run_id: number }, RunWakeRow>(
  `select run_id, wake_id, wake_attempt, waited_in, told from run_wakes where space_id = :space_id and run_id = :run_id
   order by wake_id`,
);
/** The ends that a run tells its session of. */
export const listWakes = (tx: Tx, run_id: number): Promise<RunWakeRow[]> =>
  tx.all(list, { space_id: tx.space_id, run_id });

type Wake = In & { wake_id: number; wake_attempt: number };

const told = statement<Wake, { run_id: number }>(
  `select run_id from run_wakes where space_id = :space_id and wake_id = :wake_id and wake_attempt = :wake_attempt limit 1`,
);
/** Whether there is a run that tells of that end, or told of it, however it went. */
export const hasWake = async (db: Reader, args: Wake): Promise<boolean> => (await db.get(told, args)) !== undefined;

const telling = statement<Wake, { run_id: number }>(
  `select w.run_id from run_wakes w join runs r on r.space_id = w.space_id and r.id = w.run_id
   where w.space_id = :space_id and w.wake_id = :wake_id and w.wake_attempt = :wake_attempt
   and r.state in ('queued', 'claimed', 'running') limit 1`,
);
/** Whether there is one that is not over. */
export const isTelling = async (db: Reader, args: Wake): Promise<boolean> =>
  (await db.get(telling, args)) !== undefined;

const forget = statement<Wake>(
  "delete from run_wakes where space_id = :space_id and wake_id = :wake_id and wake_attempt = :wake_attempt",
);
export const deleteWake = (tx: Tx, args: Omit<Wake, "space_id">): Promise<void> =>
  tx.run(forget, { ...args, space_id: tx.space_id });

type Session = Pick<RunRow, "kind" | "name" | "session_mode" | "session_key"> & { waited_in: number; most: number };

const gathering = statement<Session & In, { id: number }>(
  `select r.id from runs r where r.space_id = :space_id and r.kind = :kind and r.name = :name
   and r.state in ('queued', 'claimed', 'running') and r.state = 'queued'
   and r.approval_id is null
   and r.session_mode = :session_mode and r.session_key = :session_key
   and exists (select 1 from run_wakes w where w.space_id = r.space_id and w.run_id = r.id
   and (r.session_mode = 'persistent' or w.waited_in = :waited_in))
   and (select sum(length(w.told)) from run_wakes w where w.space_id = r.space_id and w.run_id = r.id) < :most
   order by r.id limit 1`,
);
/** A run that waits to tell the same session of other ends, and has room for more. */
export const findGathering = async (tx: Tx, args: Session): Promise<number | undefined> =>
  (await tx.get(gathering, { ...args, space_id: tx.space_id }))?.id;
