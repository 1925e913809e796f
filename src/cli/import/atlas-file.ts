/** Reads a database of Atlas (Inbox-MCP), whole, before anything is done with it. Never writes to it. */
import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
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
    const found = isAtRest(path) ? read(path, { at_rest: true }) : undefined;
    // Whoever opened it meanwhile may have changed it under what was read.
    return found && isAtRest(path) ? found : read(path, { at_rest: false });
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = reasonOf(error);
    if (/not a database/.test(why)) throw foreign(path, "it is not an SQLite database", error);
    throw damaged(path, why, error);
  }
}

/**
 * Whether nobody has it open, as far as its folder shows: only then is everything in the file itself, and SQLite need not
 * lay a log of its own beside it to read it.
 */
function isAtRest(path: string): boolean {
  const file = realpathSync(path);
  return !["-wal", "-journal"].some((end) => existsSync(file + end)) && isLogged(file);
}

/** Whether its changes go to a log beside it, as the 19th byte of every SQLite database says. */
function isLogged(file: string): boolean {
  const bytes = Buffer.alloc(20);
  const opened = openSync(file, "r");
  try {
    readSync(opened, bytes);
  } finally {
    closeSync(opened);
  }
  return bytes[18] === 2;
}

function read(path: string, { at_rest }: { at_rest: boolean }): Atlas {
  const address = pathToFileURL(realpathSync(path));
  if (at_rest) address.searchParams.set("immutable", "1");
  using database = new DatabaseSync(address, { readOnly: true });
  const [check] = database.prepare("pragma quick_check(1)").all();
  const found = String(Object.values(check ?? {})[0]);
  if (found !== "ok") throw damaged(path, found);
  const rows = (table: Table): Row[] => rowsOf(database, path, table);
  const [messages, triggers] = [rows("messages"), rows("triggers")];
  return { messages, triggers, task_awaits: rows("task_awaits"), trigger_sessions: rows("trigger_sessions") };
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
