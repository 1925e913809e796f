/**
 * plainjob from npm on a connection of node:sqlite: the driver it is made for is a native module, which nothing here is
 * allowed to build. As durable as the hub: it would let the system flush a commit whenever it likes.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Connection, defineQueue } from "plainjob";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { type Round, rateOf } from "./rate.ts";

const TYPE = "bench";
const filename = join(folder, "jobs.db");
const database = new DatabaseSync(filename);

/** As better-sqlite3 makes them: called as it is, or with the lock from the start. */
function transaction<A extends unknown[]>(work: (...args: A) => unknown): object {
  const begun =
    (begin: string) =>
    (...args: A): unknown => {
      database.exec(begin);
      try {
        const result = work(...args);
        database.exec("commit");
        return result;
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    };
  return Object.assign(begun("begin"), { immediate: begun("begin immediate") });
}

const connection = {
  driver: "better-sqlite3",
  filename,
  pragma: (text: string) => database.exec(`pragma ${text}`),
  exec: (text: string) => database.exec(text),
  prepare: (text: string) => database.prepare(text),
  transaction,
  close: () => database.close(),
};
const silent = { error: console.error, warn: console.warn, info: () => {}, debug: () => {} };
// Of a connection it uses these.
const queue = defineQueue({ connection: connection as unknown as Connection, logger: silent });
database.exec("pragma synchronous = full");

answerBench(
  {},
  {
    fill: ({ count }: Round) => void queue.addMany(TYPE, Array(count).fill({ content: CONTENT })),
    work: (round: Round) =>
      rateOf(round, () => {
        const job = queue.getAndMarkJobAsProcessing(TYPE);
        if (!job) throw new Error("no job was there");
        queue.getJobById(job.id);
        queue.markJobAsDone(job.id);
      }),
  },
);
