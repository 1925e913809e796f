/**
 * agent-inbox from npm as its command `agent-inbox mcp` puts it together: MCP on the standard streams. It keeps mail in
 * memory, or in SQLite. For the latter it is given a connection of node:sqlite, as it lets its embedders do, with what
 * its own driver sets: that one is a native module, which nothing here is allowed to build.
 */
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { InboxMcpServer, InMemoryStorage, MessageRouter, SqliteStorage, TraceabilityLayer } from "agent-inbox";
import { answerBench, folder } from "./answering.ts";

type Driver = NonNullable<ConstructorParameters<typeof SqliteStorage>[0]["db"]>;

function openDriver(file: string): Driver {
  const database = new DatabaseSync(file);
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma wal_autocheckpoint = 1000",
  );
  const driver = {
    exec: (text: string) => database.exec(text),
    prepare: (text: string) => database.prepare(text),
    transaction:
      <A extends unknown[]>(work: (...args: A) => unknown) =>
      (...args: A): unknown => {
        database.exec("begin");
        try {
          const result = work(...args);
          database.exec("commit");
          return result;
        } catch (error) {
          database.exec("rollback");
          throw error;
        }
      },
  };
  // Of a driver it uses these three.
  return driver as unknown as Driver;
}

const durable = process.env.BENCH_STORAGE === "sqlite";
const storage = durable ? new SqliteStorage({ db: openDriver(join(folder, "inbox.db")) }) : new InMemoryStorage();
const events = new EventEmitter();
const router = new MessageRouter(storage, events, "default");
new TraceabilityLayer(storage, events);
// It adds a listener for each answer that waits for the stream, and there are as many as the bench has under way.
process.stdout.setMaxListeners(0);
await new InboxMcpServer(router, storage, "default").start();
answerBench({});
