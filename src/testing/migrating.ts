/** What a hub does first, as a program of its own: it brings the database of its environment to the schema of today. */
import { flushCompileCache } from "node:module";
import { join } from "node:path";

const { PARLEY_DATABASE_URL, PARLEY_HOME = "" } = process.env;

async function migration(): Promise<() => Promise<void>> {
  if (PARLEY_DATABASE_URL) {
    const { migratePostgres } = await import("../db/migrate-postgres.ts");
    return () => migratePostgres(PARLEY_DATABASE_URL);
  }
  const { migrateSqlite } = await import("../db/migrate-sqlite.ts");
  return () => migrateSqlite(join(PARLEY_HOME, "parley.db"));
}

const migrate = await migration();
// Killed on the way, it would leave nothing that is compiled to the next one.
flushCompileCache();
await migrate();
