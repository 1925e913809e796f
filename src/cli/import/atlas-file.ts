/** Reads a database of Atlas (Inbox-MCP), whole, before anything is done with it. Never writes to it. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Failure, invalid, reasonOf } from "../core/failure.ts";

/** What has to be there, and is read. `webhook_secret` and the like came later, and may be missing. */
const TABLES = {
  messages: ["id", "channel", "sender", "content", "status", "response_summary", "created_at", "processed_at"],
  triggers: ["id", "name", "type", "description", "channel", "schedule", "prompt", "session_mode", "enabled"],
  task_awaits: ["task_id", "trigger_name", "session_key"],
  trigger_sessions: ["trigger_name", "session_key", "session_id"],
} as const;
const OPTIONAL: Partial<Record<Table, readonly string[]>> = { triggers: ["webhook_secret", "last_run", "run_count"] };

type Table = keyof typeof TABLES;
export type Row = Readonly<Record<string, unknown>>;
export type Atlas = Readonly<Record<Table, readonly Row[]>>;

/** Throws a `Failure` that says what is the matter with the file. */
export function readAtlas(path: string): Atlas {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) throw new Failure("NOT_FOUND", `There is no file ${path}.`);
  if (!file.isFile()) throw foreign(path, "it is no file");
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const [check] = database.prepare("pragma quick_check(1)").all();
    const found = String(Object.values(check ?? {})[0]);
    if (found !== "ok") throw damaged(path, found);
    const rows = (table: Table): Row[] => rowsOf(database, path, table);
    const [messages, triggers] = [rows("messages"), rows("triggers")];
    return { messages, triggers, task_awaits: rows("task_awaits"), trigger_sessions: rows("trigger_sessions") };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = reasonOf(error);
    if (/not a database/.test(why)) throw foreign(path, "it is not an SQLite database", error);
    throw damaged(path, why, error);
  }
}

function rowsOf(database: DatabaseSync, path: string, table: Table): Row[] {
  const there = database.prepare(`select name from pragma_table_info('${table}')`).all();
  const columns = there.map(({ name }) => String(name));
  if (columns.length === 0) throw foreign(path, `it has no table ${table}`);
  const missing = TABLES[table].filter((name) => !columns.includes(name));
  if (missing.length > 0) throw foreign(path, `its table ${table} has no ${missing.join(", ")}`);
  const also = (OPTIONAL[table] ?? []).filter((name) => columns.includes(name));
  return database.prepare(`select ${[...TABLES[table], ...also].join(", ")} from ${table} order by rowid`).all();
}

const foreign = (path: string, why: string, cause?: unknown): Failure =>
  invalid(`${path} is not a database of Atlas: ${why}. Nothing was changed.`, { cause });

const damaged = (path: string, why: string, cause?: unknown): Failure =>
  invalid(`${path} is damaged: ${why.split("\n").at(-1)}. Nothing was changed.`, { cause });
