import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Kind } from "../schema.ts";
import type { RunSessionRow, SessionKey, StreakRow } from "../tables.ts";

type Where = SessionKey & { space_id: string };

const find = statement<Where, RunSessionRow>(
  `select kind, name, session_key, session_id, host, cost_micros, updated_at from run_sessions
   where space_id = :space_id and kind = :kind and name = :name and session_key = :session_key`,
);
export const findSession = (db: Reader, { space_id, kind, name, session_key }: Where) =>
  db.get(find, { space_id, kind, name, session_key });

const save = statement<RunSessionRow & { space_id: string }>(
  `insert into run_sessions (space_id, kind, name, session_key, session_id, host, cost_micros, updated_at)
   values (:space_id, :kind, :name, :session_key, :session_id, :host, :cost_micros, :updated_at)
   on conflict (space_id, kind, name, session_key) do update set session_id = excluded.session_id,
   host = excluded.host, cost_micros = excluded.cost_micros, updated_at = excluded.updated_at`,
);
export const saveSession = (tx: Tx, row: RunSessionRow): Promise<void> =>
  tx.run(save, { ...row, space_id: tx.space_id });

const forget = statement<Where>(
  `delete from run_sessions where space_id = :space_id and kind = :kind and name = :name
   and session_key = :session_key`,
);
export const deleteSession = (tx: Tx, { kind, name, session_key }: SessionKey): Promise<void> =>
  tx.run(forget, { kind, name, session_key, space_id: tx.space_id });

const countOf = statement<Named, { sessions: number }>(
  "select count(*) as sessions from run_sessions where space_id = :space_id and kind = :kind and name = :name",
);
export const countSessions = async (db: Reader, { space_id, kind, name }: Named): Promise<number> =>
  Number((await db.get(countOf, { space_id, kind, name }))?.sessions ?? 0);

type Named = { space_id: string; kind: Kind; name: string };

const forgetAll = statement<Named>(
  "delete from run_sessions where space_id = :space_id and kind = :kind and name = :name",
);
export const deleteSessions = (tx: Tx, { kind, name }: Omit<Named, "space_id">): Promise<void> =>
  tx.run(forgetAll, { kind, name, space_id: tx.space_id });

const streak = statement<Named, StreakRow>(
  `select kind, name, failures, began_id, retry_at from run_streaks
   where space_id = :space_id and kind = :kind and name = :name`,
);
export const findStreak = (db: Reader, { space_id, kind, name }: Named): Promise<StreakRow | undefined> =>
  db.get(streak, { space_id, kind, name });

const failing = statement<{ space_id: string; limit: number }, FailingRow>(
  `select kind, name, failures, (select max(id) from runs r
   where r.space_id = s.space_id and r.kind = s.kind and r.name = s.name) as run_id
   from run_streaks s where space_id = :space_id order by began_id limit :limit`,
);
type FailingRow = Pick<StreakRow, "kind" | "name" | "failures"> & { run_id: number | null };
/** What fails, what has done so for longest first, each with its newest run. */
export const listStreaks = (db: Reader, args: { space_id: string; limit: number }): Promise<FailingRow[]> =>
  db.all(failing, args);

const saveRow = statement<StreakRow & { space_id: string }>(
  `insert into run_streaks (space_id, kind, name, failures, began_id, retry_at)
   values (:space_id, :kind, :name, :failures, :began_id, :retry_at)
   on conflict (space_id, kind, name) do update set failures = excluded.failures, retry_at = excluded.retry_at`,
);
export const saveStreak = (tx: Tx, row: StreakRow): Promise<void> => tx.run(saveRow, { ...row, space_id: tx.space_id });

const end = statement<Named>("delete from run_streaks where space_id = :space_id and kind = :kind and name = :name");
export const deleteStreak = (tx: Tx, { kind, name }: Omit<Named, "space_id">): Promise<void> =>
  tx.run(end, { kind, name, space_id: tx.space_id });
