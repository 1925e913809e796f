import { ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import type { Committed, Operation, Reader, Tx } from "./database.ts";
import type { Statement } from "./statement.ts";
import { nothingWritten, outcomeUnknown, troubleOf } from "./trouble.ts";

/** The one connection a batch runs on. */
export interface Writer extends Reader {
  run<A>(statement: Statement<A>, args: A): Promise<number>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  savepoint(): Promise<void>;
  release(): Promise<void>;
  rollbackToSavepoint(): Promise<void>;
  /** False when a failure ended the whole transaction, as a full disk does. */
  isOpen(): boolean;
  /** Locks the space's counter row and says where it stands; undefined when there is no such space. */
  lockCounter(space_id: string): Promise<number | undefined>;
  saveCounter(space_id: string, last_id: number): Promise<void>;
}

export interface Job {
  space_id: string;
  operation: Operation<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs the jobs one after another in one transaction, each in its own savepoint, and
 * settles them after the COMMIT. A job that fails takes nothing with it. When the
 * transaction as a whole is lost every job is told so, and the error is thrown too.
 */
export async function runBatch(writer: Writer, jobs: readonly Job[], now: () => number): Promise<Committed[]> {
  const counters = new Map<string, Committed>();
  const settled: (() => void)[] = [];
  try {
    await hit("post.before_begin");
    await writer.begin();
    for (const job of jobs) settled.push(await runJob(writer, job, counters, jobs.length > 1, now));
    for (const counter of counters.values())
      if (counter.last_id !== counter.previous_id) await writer.saveCounter(counter.space_id, counter.last_id);
    await hit("post.before_commit");
  } catch (error) {
    await abandon(writer);
    for (const job of jobs) job.reject(nothingWritten(error));
    throw error;
  }
  await commit(writer, jobs);
  await hit("post.after_commit");
  for (const settle of settled) settle();
  return [...counters.values()].filter((counter) => counter.planned || counter.last_id !== counter.previous_id);
}

async function commit(writer: Writer, jobs: readonly Job[]): Promise<void> {
  try {
    await writer.commit();
  } catch (error) {
    // A full disk is the one failure of a COMMIT that says for certain that nothing was written.
    const certain = troubleOf(error) === "full";
    await abandon(writer);
    for (const job of jobs) job.reject(certain ? nothingWritten(error) : outcomeUnknown(error));
    throw error;
  }
}

async function runJob(
  writer: Writer,
  job: Job,
  counters: Map<string, Committed>,
  shared: boolean,
  now: () => number,
): Promise<() => void> {
  const counter = counters.get(job.space_id) ?? (await openCounter(writer, job.space_id, counters));
  if (!counter) return () => job.reject(new ParleyError("SESSION_NOT_FOUND", `There is no space ${job.space_id}.`));
  const before = { last_id: counter.last_id, events: counter.events.length };
  if (shared) await writer.savepoint();
  try {
    const value = await job.operation(transaction(writer, counter, now));
    if (shared) await writer.release();
    return () => job.resolve(value);
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble !== "operation" || !writer.isOpen()) throw error;
    if (shared) await writer.rollbackToSavepoint();
    else {
      await writer.rollback();
      await writer.begin();
    }
    counter.last_id = before.last_id;
    counter.events.length = before.events;
    return () => job.reject(error);
  }
}

async function openCounter(
  writer: Writer,
  space_id: string,
  counters: Map<string, Committed>,
): Promise<Committed | undefined> {
  const last_id = await writer.lockCounter(space_id);
  if (last_id === undefined) return undefined;
  const counter: Committed = { space_id, previous_id: last_id, last_id, events: [], planned: false };
  counters.set(space_id, counter);
  return counter;
}

function transaction(writer: Writer, counter: Committed, now: () => number): Tx {
  return {
    space_id: counter.space_id,
    get: (statement, args) => writer.get(statement, args),
    all: (statement, args) => writer.all(statement, args),
    run: (statement, args) => writer.run(statement, args),
    takeId: () => {
      // Microseconds of now, or one more than the last: never twice, never backwards, whatever the clock does.
      counter.last_id = Math.max(counter.last_id + 1, now() * 1000);
      return counter.last_id;
    },
    announce: (event) => void counter.events.push(event),
    markPlanned: () => {
      counter.planned = true;
    },
  };
}

/** The transaction is lost already: failing to say so to the database changes nothing. */
async function abandon(writer: Writer): Promise<void> {
  if (!writer.isOpen()) return;
  await writer.rollback().catch(() => undefined);
}
