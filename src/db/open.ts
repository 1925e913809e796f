import { chmodSync, existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ParleyError, StartRefused } from "../errors.ts";
import type { Timekeeping } from "./clock.ts";
import type { Database } from "./database.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { migrateSqlite } from "./migrate-sqlite.ts";
import { MIGRATIONS, type Migration } from "./migrations/index.ts";
import { PostgresDatabase } from "./postgres.ts";
import { SqliteDatabase } from "./sqlite.ts";
import { troubleOf } from "./trouble.ts";

/** Holds what belongs to no team: tokens, principals, spaces. No request can name it. */
export { HUB_SPACE } from "./store.ts";
export const MAIN_SPACE = "main";

export interface Storage extends Timekeeping {
  home: string;
  database_url?: string | undefined;
  /** The last hub of this folder did not end by itself: look at the file before trusting it. */
  after_crash?: boolean;
  /** Others than all there are, for tests. */
  history?: readonly Migration[];
}

/** Opens the database and brings its schema up to date. */
export async function openDatabase({
  home,
  database_url,
  now,
  passed,
  after_crash,
  history = MIGRATIONS,
}: Storage): Promise<Database> {
  try {
    if (database_url) {
      await migratePostgres(database_url, history);
      return await PostgresDatabase.open(database_url, { now, passed, schema: history.length });
    }
    const file = join(home, "parley.db");
    refuseUnsafeSqlite();
    refuseNetworkFolder(file);
    if (after_crash && existsSync(file)) refuseDamaged(file);
    await migrateSqlite(file, history);
    chmodSync(file, 0o600);
    return new SqliteDatabase(file, { now, passed });
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    const what = database_url ? "PostgreSQL cannot be used" : `The database in ${home} cannot be opened`;
    const reason = `${what}: ${(error as Error).message}`;
    // Nothing is wrong with this hub: whoever looks after it may simply start it again.
    if (database_url && troubleOf(error) !== "operation")
      throw new ParleyError("STORAGE_UNAVAILABLE", reason, { cause: error });
    throw new StartRefused(reason, { cause: error });
  }
}

/** Older ones could corrupt a write-ahead log that is checkpointed and written at once. */
function refuseUnsafeSqlite(): void {
  const [major = 0, minor = 0, patch = 0] = (process.versions.sqlite ?? "0").split(".").map(Number);
  if (major * 1_000_000 + minor * 1000 + patch < 3_051_003)
    throw new StartRefused(
      `SQLite ${process.versions.sqlite} can damage the database. Start Parley with a newer Node.`,
    );
}

/** Where locks and shared memory do not work, two hubs would write to one file. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9p"],
]);

function refuseNetworkFolder(file: string): void {
  const type = NETWORK_FILE_SYSTEMS.get(statfsSync(join(file, "..")).type);
  if (type)
    throw new StartRefused(
      `The data folder is on ${type}, where SQLite is not safe. Choose a local folder with --home.`,
    );
}

function refuseDamaged(file: string): void {
  // Whoever repairs it wants to find it as it was.
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const found = connection.prepare("pragma quick_check(1)").get()?.quick_check;
    if (found !== "ok") throw new StartRefused(`The database ${file} is damaged (${found}). Restore a backup.`);
  } finally {
    connection.close();
  }
}
