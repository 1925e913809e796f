import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

/** SQLite has one process, whose reads are over before the next write. */
const oldest = statement<Record<never, never>, { seconds: number }>(
  "select 0 as seconds",
  `select cast(coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0) as double precision) as seconds
   from pg_stat_activity where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`,
);

/**
 * For how long the oldest transaction on PostgreSQL has looked at the same rows, in seconds: what was changed since is kept for it,
 * and every write of a counter gets slower. A forgotten `psql` costs two thirds of the writes within half a minute.
 */
export const oldestSnapshot = async (database: Database): Promise<number> =>
  (await database.get(oldest, {}))?.seconds ?? 0;
