import { StartRefused } from "../errors.ts";
import { hit } from "../failpoints.ts";
import type { Columns } from "./columns.ts";
import { MIGRATIONS, type Migration } from "./migrations/index.ts";

export interface MigrationRunner {
  columns: Columns;
  /** 0 for an empty database. */
  version(): Promise<number>;
  /** Runs the statements and records the version, all or nothing. */
  step(version: number, statements: readonly string[], before_commit: () => Promise<void>): Promise<void>;
  /** Called before the first step that changes a database somebody already uses. */
  backup(version: number): Promise<void>;
}

/**
 * Brings the schema to the newest version. Killed in between, the next start goes on where
 * it stopped. A database newer than the program is left alone.
 */
export async function migrate(runner: MigrationRunner, history: readonly Migration[] = MIGRATIONS): Promise<void> {
  const version = await runner.version();
  if (version > history.length)
    throw new StartRefused(
      `The database has schema ${version}, newer than this Parley knows (${history.length}). Start a newer Parley.`,
    );
  if (version > 0 && version < history.length) await runner.backup(version);
  for (const [index, migration] of history.entries())
    if (index >= version)
      await runner.step(index + 1, migration.up(runner.columns), async () => {
        await hit("migrate.after_step");
      });
}
