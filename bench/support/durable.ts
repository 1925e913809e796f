import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Keeps each text durably before it returns, as little as SQLite can do for that. */
export function openDurable(folder: string): (text: string) => void {
  const database = new DatabaseSync(join(folder, "bare.db"));
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000");
  database.exec("create table said (id integer primary key, content text not null)");
  const insert = database.prepare("insert into said (content) values (?)");
  return (text) => void insert.run(text);
}
