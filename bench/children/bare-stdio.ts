/** As little as a server on its standard streams can do that keeps what it is told: a line, a durable commit, a line. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { answerBench, folder } from "./answering.ts";

const database = new DatabaseSync(join(folder, "bare.db"));
database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000");
database.exec("create table said (id integer primary key, content text not null)");
const insert = database.prepare("insert into said (content) values (?)");

createInterface({ input: process.stdin }).on("line", (line) => {
  // Nobody else writes to that stream.
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (id === undefined) return;
  if (method !== "initialize") insert.run(line);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
});
answerBench({});
