import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import { type Job, runBatch, type Writer } from "./batch.ts";
import { Clock, type Timekeeping } from "./clock.ts";
import type { Committed, Database, Health, Operation, Reader, WriteOptions } from "./database.ts";
import { type Statement, severalRowsOnSqlite, values } from "./statement.ts";
import { type CounterRow, counterOf, epochOfHub, HUB_SPACE, highestCounter, saveCounter } from "./store.ts";
import { troubleOf } from "./trouble.ts";

/** More than this in one transaction would keep the event loop busy for too long. */
const MOST_JOBS = 1000;
/** Pages of write-ahead log before it is moved into the file. */
const CHECKPOINT_PAGES = 1000;
/** Rows that are inserted by one statement. */
const MOST_ROWS = 8;
/** How long those that can wait do so for company. */
const PATIENCE_MS = 10;
/** How long a full disk is believed to be one. */
const FULL_MS = 5000;
/** One for all that was written: each of its own would be the most of what a statement leaves behind. */
const DONE = Promise.resolve();

/**
 * One connection writes, owned by the batcher alone; one reads, and sees committed
 * rows only. Both are synchronous, so nothing here ever waits but for the disk.
 */
export class SqliteDatabase implements Database {
  readonly backend = "sqlite";
  readonly shared = false;
  readonly epoch: string;
  readonly #reader: Connection;
  readonly #writer: SqliteWriter;
  readonly #clock: Clock;
  #queue: Job[] = [];
  #running: Promise<void> | undefined;
  readonly #patient: Job[] = [];
  #patience: NodeJS.Timeout | undefined;
  #health: Health = { state: "ready" };
  #full_at = 0;
  readonly #onCommit: ((committed: Committed) => void)[] = [];
  #onFatal: (error: Error) => void = () => {};

  constructor(file: string, time: Timekeeping = {}) {
    this.#writer = new SqliteWriter(openConnection(file, false));
    this.#reader = new Connection(openConnection(file, true));
    this.epoch = this.#reader.getNow(epochOfHub, {})?.value ?? "";
    const from = Math.floor((this.#reader.getNow(highestCounter, {})?.last_id ?? 0) / 1000);
    this.#clock = new Clock(Date.now, { ...time, from });
  }

  revisionOf(tables: readonly string[]): number {
    return this.#writer.revisionOf(tables);
  }

  async get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    try {
      return this.#reader.getNow(statement, args);
    } catch (error) {
      throw this.#unreadable(error as Error);
    }
  }

  async all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    try {
      return this.#reader.allNow(statement, args);
    } catch (error) {
      throw this.#unreadable(error as Error);
    }
  }

  write<T>(space_id: string, operation: Operation<T>, options: WriteOptions = {}): Promise<T> {
    const { even_expired = false, patient = false } = options;
    if (this.#health.state === "closing" || this.#health.state === "failed")
      return Promise.reject(new ParleyError("STORAGE_UNAVAILABLE", `The hub no longer writes: ${this.#health.reason}`));
    return new Promise<T>((resolve, reject) => {
      // The queue holds operations of every result type; each is handed back only to its own promise.
      const job = { space_id, operation, even_expired, resolve: resolve as (value: unknown) => void, reject };
      if (patient) return this.#waitForCompany(job);
      this.#queue.push(job);
      this.#running ??= this.#drain();
    });
  }

  compareAndSet<A>(statement: Statement<A>, args: A): Promise<number> {
    // There is one writer, and so nothing to wait for at a counter: it shares the batch of whoever writes just now.
    return this.write(HUB_SPACE, (tx) => tx.runCounted(statement, args));
  }

  now(): number {
    return this.#clock.now();
  }

  wall(): number {
    return this.#clock.wall();
  }

  health(): Health {
    // Only a write can tell whether there is space again: after a while it is worth one.
    if (this.#health.state === "full" && performance.now() - this.#full_at > FULL_MS) this.#health = { state: "ready" };
    return this.#health;
  }

  onCommit(listener: (committed: Committed) => void): void {
    this.#onCommit.push(listener);
  }

  onFatal(listener: (error: Error) => void): void {
    this.#onFatal = listener;
  }

  onRemote(): void {
    // One process owns the file: nobody else writes.
  }

  watch(): void {}

  /** Its index of words is merged while it is written. */
  async tidy(): Promise<void> {}

  beginStop(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#health.state !== "failed") this.#health = { state: "closing", reason: "it is stopping." };
    this.#endPatience();
    await this.#running;
    // The last one to close moves the write-ahead log into the file, and a reader may not.
    this.#reader.close();
    this.#writer.close();
  }

  #waitForCompany(job: Job): void {
    this.#patient.push(job);
    this.#patience ??= setTimeout(() => this.#endPatience(), PATIENCE_MS);
  }

  #endPatience(): void {
    this.#queue.unshift(...this.#takePatient());
    this.#running ??= this.#drain();
  }

  #takePatient(): Job[] {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    return this.#patient.splice(0);
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Everything that arrived in this turn of the event loop shares the batch.
      await new Promise((resolve) => setImmediate(resolve));
      const jobs = [...this.#takePatient(), ...this.#queue.splice(0, MOST_JOBS)];
      await this.#runBatch(jobs);
    }
    this.#running = undefined;
  }

  async #runBatch(jobs: Job[]): Promise<void> {
    try {
      const committed = await runBatch(this.#writer, jobs, () => this.now());
      if (this.#health.state === "full") this.#health = { state: "ready" };
      for (const space of committed) for (const tell of this.#onCommit) tell(space);
    } catch (error) {
      this.#markUnhealthy(error as Error);
    }
  }

  /** What cannot be read cannot be written either. */
  #unreadable(error: Error): Error {
    if (troubleOf(error) === "operation") return error;
    this.#markUnhealthy(error);
    return new ParleyError("STORAGE_UNAVAILABLE", "The hub's database cannot be read.", { cause: error });
  }

  /** After an fsync error SQLite would go on committing what the disk no longer holds: stop instead. */
  #markUnhealthy(error: Error): void {
    const trouble = troubleOf(error);
    if (trouble === "full" && this.#health.state !== "closing") {
      this.#full_at = performance.now();
      this.#health = { state: "full", reason: "the disk is full." };
    }
    if (trouble !== "broken" || this.#health.state === "failed") return;
    this.#health = { state: "failed", reason: "the disk failed." };
    for (const job of [...this.#takePatient(), ...this.#queue.splice(0)])
      job.reject(new ParleyError("STORAGE_UNAVAILABLE", "The hub's disk failed; nothing was written."));
    this.#onFatal(error);
  }
}

function openConnection(file: string, readOnly: boolean): DatabaseSync {
  const connection = new DatabaseSync(file, { readOnly, timeout: 5000 });
  if (!readOnly)
    connection.exec(
      `pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    );
  connection.exec("pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000");
  return connection;
}

class Connection {
  protected readonly connection: DatabaseSync;
  readonly #prepared: Prepared[] = [];

  constructor(connection: DatabaseSync) {
    this.connection = connection;
  }

  getNow<A, R>(statement: Statement<A, R>, args: A): R | undefined {
    const { prepared, columns } = this.prepare(statement);
    const row = prepared.get(...values(statement.sqlite, args));
    return row && rowOf<R>(columns, row);
  }

  allNow<A, R>(statement: Statement<A, R>, args: A): R[] {
    const { prepared, columns } = this.prepare(statement);
    return prepared.all(...values(statement.sqlite, args)).map((row) => rowOf<R>(columns, row));
  }

  prepare(statement: Statement): Prepared {
    const known = this.#prepared[statement.index];
    if (known) return known;
    const prepared = this.connection.prepare(statement.sqlite.text);
    prepared.setReturnArrays(true);
    const columns = prepared.columns().map(({ name }) => name);
    const made = { prepared, columns, row: rowOf<object>(columns, []) };
    this.#prepared[statement.index] = made;
    return made;
  }

  close(): void {
    this.connection.close();
  }
}

interface Prepared {
  prepared: StatementSync;
  columns: string[];
  /** V8 throws away what it compiled for such rows when a full collection finds none. */
  row: object;
}

/** `node:sqlite` makes objects that V8 keeps as dictionaries: making them here costs half, and so does reading them. */
function rowOf<R>(columns: readonly string[], cells: unknown): R {
  const row: Record<string, unknown> = {};
  // `setReturnArrays` has it so, and the statement's type says what its rows look like.
  const values = cells as unknown[];
  for (let at = 0; at < columns.length; at += 1) row[columns[at] ?? ""] = values[at];
  return row as R;
}

/** What is changed by a statement that does not say so in its first words. */
const ANY = "";

class SqliteWriter extends Connection implements Writer, Reader {
  readonly remote = false;
  readonly #revisions = new Map<string, number>();
  /** Tables that the transaction has changed. */
  readonly #changed = new Set<string>();
  /** Statements that changed something. */
  #changes = 0;
  readonly #several: (StatementSync | null)[][] = [];
  // Immediate: a transaction that reads first and writes later would fail at once when anybody else writes.
  readonly #begin = this.connection.prepare("begin immediate");
  readonly #commit = this.connection.prepare("commit");
  readonly #rollback = this.connection.prepare("rollback");
  readonly #savepoint = this.connection.prepare("savepoint one");
  readonly #release = this.connection.prepare("release one");
  readonly #rollbackTo = this.connection.prepare("rollback to one");

  async get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    return this.getNow(statement, args);
  }

  async all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    return this.allNow(statement, args);
  }

  run<A>(statement: Statement<A>, args: A): Promise<void> {
    try {
      this.#runNow(statement, args);
      return DONE;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async runCounted<A>(statement: Statement<A>, args: A): Promise<number> {
    return this.#runNow(statement, args);
  }

  async runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void> {
    this.#assertTransaction();
    this.#changed.add(statement.footprint.changes ?? ANY);
    for (let at = 0; at < rows.length; at += MOST_ROWS) {
      const some = rows.slice(at, at + MOST_ROWS);
      const batched = this.#severalRows(statement, some.length);
      this.#changes += 1;
      if (batched) batched.run(...values(statement.sqlite, ...some));
      else for (const row of some) this.#runNow(statement, row);
    }
  }

  #runNow<A>(statement: Statement<A>, args: A): number {
    this.#assertTransaction();
    this.#changed.add(statement.footprint.changes ?? ANY);
    const changes = Number(this.prepare(statement).prepared.run(...values(statement.sqlite, args)).changes);
    // One that lost a race has nothing to take back.
    if (changes > 0) this.#changes += 1;
    return changes;
  }

  async settle(): Promise<void> {}
  failure = (): undefined => undefined;
  mark = (): number => this.#changes;
  takeBack = (mark: number): boolean => this.#changes === mark;

  /** SQLite ends a transaction by itself, as on a full disk: what came then would be durable at once, and by itself. */
  #assertTransaction(): void {
    if (!this.connection.isTransaction) throw new Error("there is no transaction to write in");
  }

  /** The statement for so many rows at once; undefined for what cannot be said so. */
  #severalRows(statement: Statement, count: number): StatementSync | undefined {
    if (count === 1) return undefined;
    const known = this.#several[statement.index] ?? [];
    this.#several[statement.index] = known;
    if (known[count] === undefined) {
      const text = severalRowsOnSqlite(statement.sqlite, count);
      known[count] = text === undefined ? null : this.connection.prepare(text);
    }
    return known[count] ?? undefined;
  }

  revisionOf(tables: readonly string[]): number {
    let revision = this.#revisions.get(ANY) ?? 0;
    for (const table of tables) revision += this.#revisions.get(table) ?? 0;
    return revision;
  }

  begin = async (): Promise<void> => {
    this.#changed.clear();
    this.#begin.run();
  };
  commit = async (): Promise<void> => {
    await hit("checkpoint.before");
    // Before it is known whether it succeeds: what may have changed is not believed.
    for (const table of this.#changed) this.#revisions.set(table, (this.#revisions.get(table) ?? 0) + 1);
    this.#commit.run();
  };
  rollback = async (): Promise<void> => void this.#rollback.run();
  savepoint = (): void => void this.#savepoint.run();
  release = (): void => void this.#release.run();
  rollbackToSavepoint = async (): Promise<void> => {
    this.#rollbackTo.run();
    this.#release.run();
  };
  isOpen = (): boolean => this.connection.isTransaction;

  async lockCounter(space_id: string): Promise<CounterRow | undefined> {
    return this.getNow(counterOf, { space_id });
  }

  async saveCounter(space_id: string, last_id: number): Promise<void> {
    await this.run(saveCounter, { space_id, last_id });
  }
}
