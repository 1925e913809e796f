import { ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import type { Committed, Operation, Reader } from "./database.ts";
import { prefetch } from "./prefetch.ts";
import { ReadCache } from "./read-cache.ts";
import type { Statement } from "./statement.ts";
import type { CounterRow } from "./store.ts";
import { addedUp, type Counter, Transaction } from "./transaction.ts";
import { nothingWritten, outcomeUnknown, troubleOf } from "./trouble.ts";

/** The one connection a batch runs on. */
export interface Writer extends Reader {
  /** A round trip away: reads are worth remembering, and worth asking for together. */
  readonly remote: boolean;
  run<A>(statement: Statement<A>, args: A): Promise<void>;
  runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void>;
  runCounted<A>(statement: Statement<A>, args: A): Promise<number>;
  /** Waits for what `run` has not waited for. Throws what went wrong there. */
  settle(): Promise<void>;
  /** What went wrong in a `run` that nobody has waited for. */
  failure(): Error | undefined;
  /** Where the next operation begins. */
  mark(): number;
  /** Forgets what was written since that mark; false when only a rollback undoes it, or a statement has failed. */
  takeBack(mark: number): boolean;
  begin(): Promise<void>;
  /** Throws `RolledBack` when it is certain that nothing was written. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Of these two nobody waits for the answer. */
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): Promise<void>;
  /** False when a failure ended the whole transaction, as a full disk does. */
  isOpen(): boolean;
  /** Locks the space's counter row and says where it stands; undefined when there is no such space. */
  lockCounter(space_id: string): Promise<CounterRow | undefined>;
  saveCounter(space_id: string, last_id: number): Promise<void>;
}

/** The COMMIT was answered, and nothing was written: a statement before it had failed. */
export class RolledBack extends Error {
  override readonly name = "RolledBack";
  override readonly cause: Error;

  constructor(cause: Error) {
    super("the transaction was rolled back", { cause });
    this.cause = cause;
  }
}

export interface Job {
  space_id: string;
  operation: Operation<unknown>;
  even_expired: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs the jobs one after another in one transaction, and settles them after the COMMIT. A job
 * that fails takes nothing with it. When the transaction as a whole is lost every job is told so,
 * and the error is thrown too.
 *
 * A savepoint around each would cost a fifth of a batch on SQLite and a round trip each on PostgreSQL,
 * and hardly any job fails when it has written already. When one does, all are taken back and done again,
 * each in a savepoint: an operation may run twice, and changes nothing but what its transaction holds.
 */
export async function runBatch(writer: Writer, jobs: readonly Job[], now: () => number): Promise<Committed[]> {
  const counters =
    (await attempt({ writer, jobs, now, careful: false })) ??
    (await attempt({ writer, jobs, now, careful: true })) ??
    [];
  return counters.filter((counter) => counter.planned.size > 0 || counter.last_id !== counter.previous_id);
}

interface Batch {
  writer: Writer;
  jobs: readonly Job[];
  now: () => number;
  /** With a savepoint around each. */
  careful: boolean;
}

/** The counters as they were left; undefined when a job failed in a way that the others have to be done again for. */
async function attempt(batch: Batch): Promise<Counter[] | undefined> {
  const { writer, jobs } = batch;
  const counters = new Map<string, Counter>();
  let settled: (() => void)[] | undefined;
  try {
    await hit("post.before_begin");
    await writer.begin();
    settled = await runJobs(batch, counters);
    if (!settled) {
      await writer.rollback();
      return undefined;
    }
    await Promise.all([...counters.values()].flatMap(({ ends }) => ends.map((end) => end())));
    for (const { statement, args, by } of addedUp([...counters.values()].flatMap(({ sums }) => sums)))
      await writer.run(statement, { ...args, by });
    for (const counter of counters.values())
      if (counter.last_id !== counter.previous_id) await writer.saveCounter(counter.space_id, counter.last_id);
    await hit("post.before_commit", kindOf(counters));
  } catch (error) {
    await abandon(writer);
    for (const job of jobs) job.reject(nothingWritten(error));
    throw error;
  }
  const failure = await commit(writer, jobs, kindOf(counters));
  if (failure && !batch.careful && jobs.length > 1) return undefined;
  for (const job of jobs) if (failure) job.reject(nothingWritten(failure));
  if (failure) return [];
  for (const settle of settled) settle();
  return [...counters.values()];
}

/** For failpoints: what a hub does by itself as it starts posts nothing, and how often it writes is nobody's to count. */
const kindOf = (counters: ReadonlyMap<string, Counter>): "events" | "rows" =>
  [...counters.values()].some(({ last_id, previous_id }) => last_id !== previous_id) ? "events" : "rows";

/** What a job did wrong, where that is why nothing was written. */
async function commit(writer: Writer, jobs: readonly Job[], kind: string): Promise<Error | undefined> {
  try {
    await hit("post.in_commit", kind);
    await writer.commit();
    await hit("post.after_commit", kind);
    return undefined;
  } catch (error) {
    const failure = error instanceof RolledBack ? error.cause : error;
    const trouble = troubleOf(failure);
    if (error instanceof RolledBack && (trouble === "operation" || trouble === "busy")) return error.cause;
    // A full disk is the one failure of a COMMIT that says for certain that nothing was written.
    const certain = error instanceof RolledBack || trouble === "full";
    await abandon(writer);
    for (const job of jobs) job.reject(certain ? nothingWritten(failure) : outcomeUnknown(failure));
    throw failure;
  }
}

/** What settles each; undefined when one has failed and what it wrote cannot be taken back by itself. */
async function runJobs(batch: Batch, counters: Map<string, Counter>): Promise<(() => void)[] | undefined> {
  const { writer, jobs, now, careful } = batch;
  // What a failed operation read of its own would have to be forgotten: then rather none.
  const cache = writer.remote && !careful ? new ReadCache() : undefined;
  const [first] = jobs;
  // Behind the lock and in the same round trip: all jobs of a batch on a remote database are of one space.
  if (cache && first)
    await Promise.all([openCounter(writer, first.space_id, counters), prefetch({ writer, jobs, cache })]);
  const settled: (() => void)[] = [];
  const run = { writer, jobs, now, careful, counters, cache };
  for (const job of jobs) {
    const settle = await runJob(job, run);
    if (!settle) return undefined;
    settled.push(settle);
  }
  return settled;
}

async function runJob(
  job: Job,
  run: Batch & { counters: Map<string, Counter>; cache: ReadCache | undefined },
): Promise<(() => void) | undefined> {
  const { writer, counters, now, careful, cache } = run;
  const counter = counters.get(job.space_id) ?? (await openCounter(writer, job.space_id, counters));
  if (!counter) return () => job.reject(new ParleyError("SESSION_NOT_FOUND", `There is no space ${job.space_id}.`));
  // Whoever was let in may have waited: what is written now would be found by nobody, and be removed by nobody.
  if (!job.even_expired && counter.expires_at !== null && Date.parse(counter.expires_at) <= now())
    return () => job.reject(new ParleyError("SESSION_EXPIRED", `The space ${job.space_id} has expired.`));
  const { last_id, events, ends, sums } = counter;
  const before = { last_id, events: events.length, ends: ends.length, sums: sums.length };
  const tx = new Transaction({ writer, counter, now, cache });
  const mark = writer.mark();
  if (careful) writer.savepoint();
  try {
    const value = await job.operation(tx);
    if (careful) {
      await writer.settle();
      writer.release();
    }
    return () => job.resolve(value);
  } catch (error) {
    tx.failed = true;
    const cause = writer.failure() ?? error;
    const trouble = troubleOf(cause);
    if ((trouble !== "operation" && trouble !== "busy") || !writer.isOpen()) throw cause;
    if (careful) await writer.rollbackToSavepoint();
    else if (!writer.takeBack(mark)) {
      if (run.jobs.length > 1) return undefined;
      await writer.rollback();
      await writer.begin();
    }
    counter.last_id = before.last_id;
    counter.events.length = before.events;
    counter.ends.length = before.ends;
    counter.sums.length = before.sums;
    return () => job.reject(nothingWritten(cause));
  }
}

async function openCounter(
  writer: Writer,
  space_id: string,
  counters: Map<string, Counter>,
): Promise<Counter | undefined> {
  const row = await writer.lockCounter(space_id);
  if (!row) return undefined;
  const { last_id, expires_at } = row;
  const counter: Counter = {
    space_id,
    previous_id: last_id,
    last_id,
    expires_at,
    events: [],
    planned: new Map(),
    planned_in: new Set(),
    ends: [],
    sums: [],
  };
  counters.set(space_id, counter);
  return counter;
}

/** The transaction is lost already: failing to say so to the database changes nothing. */
async function abandon(writer: Writer): Promise<void> {
  if (!writer.isOpen()) return;
  await writer.rollback().catch(() => undefined);
}
