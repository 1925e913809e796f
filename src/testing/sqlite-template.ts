/** A database of SQLite that has the schema of today and no row: to copy it takes a tenth of making it. */
import { randomBytes } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Where workers find the one of the run. */
export const TEMPLATE = "PARLEY_TEST_SQLITE_TEMPLATE";

/** What a hub finds in its folder is as if it had made it there. */
export function copyTemplate(home: string): void {
  const template = process.env[TEMPLATE];
  if (!template) throw new Error("This run has no template of SQLite: name sqlite in PARLEY_TEST_DATABASES.");
  const file = join(home, "parley.db");
  copyFileSync(template, file);
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma synchronous = off; begin");
    // Two hubs are told apart by it.
    database.prepare("update hub set value = ? where name = 'epoch'").run(randomBytes(8).toString("hex"));
    database.prepare("update spaces set created_at = ?").run(new Date().toISOString());
    database.exec("commit");
  } finally {
    database.close();
  }
}
