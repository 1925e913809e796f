import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SQLITE_COLUMNS } from "./columns.ts";
import { type MigrationRunner, migrate } from "./migrate.ts";
import type { Migration } from "./migrations/index.ts";

export async function migrateSqlite(file: string, history?: readonly Migration[]): Promise<void> {
  const connection = new DatabaseSync(file, { timeout: 5000 });
  try {
    connection.exec("pragma journal_mode = wal; pragma synchronous = full");
    await migrate(runner(connection, file), history);
  } finally {
    connection.close();
  }
}

function runner(connection: DatabaseSync, file: string): MigrationRunner {
  return {
    columns: SQLITE_COLUMNS,
    // Kept in the file's header, and so part of the transaction that changes the schema.
    version: async () => Number(connection.prepare("pragma user_version").get()?.user_version ?? 0),
    step: async (version, statements, before_commit) => {
      connection.exec("begin immediate");
      for (const text of statements) connection.exec(text);
      connection.exec(`pragma user_version = ${version}`);
      await before_commit();
      connection.exec("commit");
    },
    backup: async (version) => {
      const folder = join(dirname(file), "backups");
      const copy = join(folder, `before-migration-from-${version}.db`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      rmSync(copy, { force: true });
      connection.prepare("vacuum into ?").run(copy);
    },
  };
}
