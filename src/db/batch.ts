import { ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import type { FeedEvent } from "../feed/event.ts";
import type { Committed, Operation, Reader, Tx } from "./database.ts";
import { type Statement, upsets } from "./statement.ts";
import type { CounterRow } from "./store.ts";
import { nothingWritten, outcomeUnknown, troubleOf } from "./trouble.ts";

/** The one connection a batch runs on. */
export interface Writer extends Reader {
  run<A>(statement: Statement<A>, args: A): Promise<number>;
  runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void>;
  begin(): Promise<void>;
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

export interface Job {
  space_id: string;
  operation: Operation<unknown>;
  even_expired: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Counter extends Committed {
  expires_at: string | null;
  ends: (() => Promise<unknown>)[];
}

/**
 * Runs the jobs one after another in one transaction, and settles them after the COMMIT. A job
 * that fails takes nothing with it. When the transaction as a whole is lost every job is told so,
 * and the error is thrown too.
 *
 * A savepoint around each would cost a fifth of a batch, and hardly any job fails when it has
 * written already. When one does, all are taken back and done again, each in a savepoint: an
 * operation may run twice, and changes nothing but what its transaction holds.
 */
export async function runBatch(writer: Writer, jobs: readonly Job[], now: () => number): Promise<Committed[]> {
  const counters = new Map<string, Counter>();
  let settled: (() => void)[] | undefined;
  try {
    await hit("post.before_begin");
    await writer.begin();
    settled = await runJobs({ writer, jobs, counters, now, careful: false, answers: new Map() });
    if (!settled) {
      await writer.rollback();
      await writer.begin();
      counters.clear();
      settled = (await runJobs({ writer, jobs, counters, now, careful: true, answers: new Map() })) ?? [];
    }
    await Promise.all([...counters.values()].flatMap(({ ends }) => ends.map((end) => end())));
    for (const counter of counters.values())
      if (counter.last_id !== counter.previous_id) await writer.saveCounter(counter.space_id, counter.last_id);
    await hit("post.before_commit");
  } catch (error) {
    await abandon(writer);
    for (const job of jobs) job.reject(nothingWritten(error));
    throw error;
  }
  await commit(writer, jobs);
  for (const settle of settled) settle();
  return [...counters.values()].filter((counter) => counter.planned || counter.last_id !== counter.previous_id);
}

async function commit(writer: Writer, jobs: readonly Job[]): Promise<void> {
  try {
    await hit("post.in_commit");
    await writer.commit();
    await hit("post.after_commit");
  } catch (error) {
    // A full disk is the one failure of a COMMIT that says for certain that nothing was written.
    const certain = troubleOf(error) === "full";
    await abandon(writer);
    for (const job of jobs) job.reject(certain ? nothingWritten(error) : outcomeUnknown(error));
    throw error;
  }
}

interface Run {
  writer: Writer;
  jobs: readonly Job[];
  counters: Map<string, Counter>;
  now: () => number;
  /** With a savepoint around each. */
  careful: boolean;
  answers: Answers;
}

/** To what is asked again and again in a batch, see `steady`. */
type Answers = Map<string, Promise<readonly object[]>>;

/** What settles each; undefined when one has failed and what it wrote cannot be taken back by itself. */
async function runJobs({ jobs, ...run }: Run): Promise<(() => void)[] | undefined> {
  const settled: (() => void)[] = [];
  for (const job of jobs) {
    const settle = await runJob(job, { ...run, alone: jobs.length === 1 });
    if (!settle) return undefined;
    settled.push(settle);
  }
  return settled;
}

async function runJob(
  job: Job,
  { writer, counters, now, careful, answers, alone }: Omit<Run, "jobs"> & { alone: boolean },
): Promise<(() => void) | undefined> {
  const counter = counters.get(job.space_id) ?? (await openCounter(writer, job.space_id, counters));
  if (!counter) return () => job.reject(new ParleyError("SESSION_NOT_FOUND", `There is no space ${job.space_id}.`));
  // Whoever was let in may have waited: what is written now would be found by nobody, and be removed by nobody.
  if (!job.even_expired && counter.expires_at !== null && Date.parse(counter.expires_at) <= now())
    return () => job.reject(new ParleyError("SESSION_EXPIRED", `The space ${job.space_id} has expired.`));
  const before = { last_id: counter.last_id, events: counter.events.length, ends: counter.ends.length };
  const tx = new Transaction(writer, counter, { now, answers });
  if (careful) writer.savepoint();
  try {
    const value = await job.operation(tx);
    if (careful) writer.release();
    return () => job.resolve(value);
  } catch (error) {
    tx.over = true;
    const trouble = troubleOf(error);
    if ((trouble !== "operation" && trouble !== "busy") || !writer.isOpen()) throw error;
    if (careful) {
      await writer.rollbackToSavepoint();
      answers.clear();
    } else if (tx.wrote || !(error instanceof ParleyError)) {
      if (!alone) return undefined;
      await writer.rollback();
      await writer.begin();
    }
    counter.last_id = before.last_id;
    counter.events.length = before.events;
    counter.ends.length = before.ends;
    return () => job.reject(nothingWritten(error));
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
  const counter = { space_id, previous_id: last_id, last_id, expires_at, events: [], planned: false, ends: [] };
  counters.set(space_id, counter);
  return counter;
}

/** A class, since one is made for every operation and a set of closures costs more than the operation's own statements. */
class Transaction implements Tx {
  readonly space_id: string;
  readonly #writer: Writer;
  readonly #counter: Counter;
  readonly #now: () => number;
  readonly #answers: Answers;
  /** Whether there is something to take back. */
  wrote = false;
  /** It failed. What it began beside that must not get into what follows. */
  over = false;

  constructor(writer: Writer, counter: Counter, { now, answers }: { now: () => number; answers: Answers }) {
    this.space_id = counter.space_id;
    this.#writer = writer;
    this.#counter = counter;
    this.#now = now;
    this.#answers = answers;
  }

  get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    if (!statement.steady) return this.#writer.get(statement, args);
    return this.#askOnce(statement, args).then(([row]) => row);
  }

  all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    return statement.steady ? this.#askOnce(statement, args) : this.#writer.all(statement, args);
  }

  async #askOnce<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    const key = `${statement.index} ${JSON.stringify(args)}`;
    // Kept under the same statement, so of the same type.
    const known = this.#answers.get(key) as Promise<(R & object)[]> | undefined;
    const asked = known ?? (this.#writer.all(statement, args) as Promise<(R & object)[]>);
    // At once: a change that is made while we wait for the answer takes it away again.
    if (!known) this.#answers.set(key, asked);
    try {
      return (await asked).map((row) => ({ ...row }));
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  run<A>(statement: Statement<A>, args: A): Promise<number> {
    this.#change(statement);
    return this.#writer.run(statement, args);
  }

  runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void> {
    this.#change(statement);
    return this.#writer.runAll(statement, rows);
  }

  #change(statement: Statement): void {
    this.#goOn();
    this.wrote = true;
    if (upsets(statement)) this.#answers.clear();
  }

  #goOn(): void {
    if (this.over) throw new Error("the operation has failed already");
  }

  takeId(): number {
    this.#goOn();
    // Microseconds of now, or one more than the last: never twice, never backwards, whatever the clock does.
    this.#counter.last_id = Math.max(this.#counter.last_id + 1, this.#now() * 1000);
    return this.#counter.last_id;
  }

  announce(event: FeedEvent): void {
    this.#goOn();
    this.#counter.events.push(event);
  }

  markPlanned(): void {
    this.#goOn();
    this.#counter.planned = true;
  }

  atEnd(work: (tx: Tx) => Promise<unknown>): void {
    this.#goOn();
    this.#counter.ends.push(() => work(this));
  }
}

/** The transaction is lost already: failing to say so to the database changes nothing. */
async function abandon(writer: Writer): Promise<void> {
  if (!writer.isOpen()) return;
  await writer.rollback().catch(() => undefined);
}
