import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateSqlite } from "../db/migrate-sqlite.ts";
import { testDatabases } from "./databases.ts";
import { TEMPLATE } from "./sqlite-template.ts";

/** Once a run, before any worker: one database for all of them to copy. */
export async function setup(): Promise<(() => void) | undefined> {
  // Vitest does this for each of its projects.
  if (!testDatabases().includes("sqlite") || process.env[TEMPLATE]) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "parley-sqlite-"));
  const file = join(folder, "parley.db");
  await migrateSqlite(file);
  process.env[TEMPLATE] = file;
  return () => rmSync(folder, { recursive: true });
}
