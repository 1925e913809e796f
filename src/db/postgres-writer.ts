import type pg from "pg";
import { RolledBack, type Writer } from "./batch.ts";
import { isElsewhere, REFERENCED } from "./footprint.ts";
import { type Statement, severalRowsOnPostgres, values } from "./statement.ts";
import { type CounterRow, lockedCounterOf, saveCounter } from "./store.ts";

/** Rows that go out as one insert: one of these sizes, so that few statements have to be prepared. */
const ROWS_AT_ONCE = [64, 32, 16, 8, 4, 2, 1];
/** Each write looks through them for what it needs. */
const MOST_KEPT_BACK = 256;
const DONE = Promise.resolve();

export const prepared = <A>(statement: Statement<A>, args: A): pg.QueryConfig => ({
  name: statement.name,
  text: statement.postgres.text,
  values: values(statement.postgres, args),
});

interface Row {
  statement: Statement;
  args: unknown;
}

/**
 * A transaction on one pipelined connection. What is written is sent without waiting for its answer, and so is what
 * cannot fail by itself (BEGIN, SAVEPOINT, RELEASE): should it fail after all, the server refuses everything behind it,
 * up to the COMMIT, which says so. New rows are kept back until something has to see them, and then go out many at a
 * time.
 */
export class PostgresWriter implements Writer {
  readonly remote = true;
  readonly #client: pg.PoolClient;
  /** New rows that are not sent yet, the last one last. */
  readonly #rows: Row[] = [];
  /** How many writes there were, sent or not, and which was the last one that was sent. */
  #writes = 0;
  #sent = 0;
  #last: Promise<unknown> = DONE;
  #failure: Error | undefined;
  #open = false;
  #broken = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on("error", this.#break);
  }

  /** The connection goes back to the pool. */
  leave(): void {
    this.#client.off("error", this.#break);
  }

  async get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    return (await this.all(statement, args))[0];
  }

  async all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    this.#flushBefore(statement, args);
    // The statement's type says what its rows look like.
    return (await this.#ask(prepared(statement, args))).rows as R[];
  }

  run<A>(statement: Statement<A>, args: A): Promise<void> {
    this.#writes += 1;
    this.#flushBefore(statement, args);
    if (statement.footprint.appends) this.#rows.push({ statement, args });
    else {
      this.#write(prepared(statement, args));
      this.#sent = this.#writes;
    }
    if (this.#rows.length === MOST_KEPT_BACK) this.#flush();
    return DONE;
  }

  runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void> {
    for (const row of rows) void this.run(statement, row);
    return DONE;
  }

  async runCounted<A>(statement: Statement<A>, args: A): Promise<number> {
    this.#flushBefore(statement, args);
    const changed = (await this.#ask(prepared(statement, args))).rowCount ?? 0;
    // One that lost a race has nothing to take back.
    if (changed > 0) this.#sent = this.#writes += 1;
    return changed;
  }

  async settle(): Promise<void> {
    this.#flush();
    await this.#last;
    if (this.#failure) throw this.#failure;
  }

  failure(): Error | undefined {
    return this.#failure;
  }

  mark(): number {
    return this.#writes;
  }

  takeBack(mark: number): boolean {
    if (this.#failure || this.#sent > mark) return false;
    // Of what came since nothing is sent: these are the last rows.
    this.#rows.length -= this.#writes - mark;
    this.#writes = mark;
    return true;
  }

  async begin(): Promise<void> {
    this.#open = true;
    this.#failure = undefined;
    this.#send("begin");
  }

  async commit(): Promise<void> {
    this.#flush();
    const result = await this.#client.query("commit");
    this.#open = false;
    // A transaction that failed before answers COMMIT with ROLLBACK, and no error.
    if (result.command !== "COMMIT")
      throw new RolledBack(this.#failure ?? new Error("the transaction was rolled back"));
  }

  async rollback(): Promise<void> {
    this.#open = false;
    this.#rows.length = 0;
    await this.#client.query("rollback");
  }

  savepoint(): void {
    this.#send("savepoint one");
  }

  release(): void {
    this.#send("release savepoint one");
  }

  async rollbackToSavepoint(): Promise<void> {
    this.#rows.length = 0;
    this.#sent = this.#writes;
    await this.#client.query("rollback to savepoint one");
    await this.#client.query("release savepoint one");
    this.#failure = undefined;
  }

  isOpen(): boolean {
    return this.#open && !this.#broken;
  }

  async lockCounter(space_id: string): Promise<CounterRow | undefined> {
    return this.get(lockedCounterOf, { space_id });
  }

  async saveCounter(space_id: string, last_id: number): Promise<void> {
    await this.run(saveCounter, { space_id, last_id });
  }

  /** What a statement reads or changes has to be there, and what it refers to. */
  #flushBefore(statement: Statement, args: unknown): void {
    const { appends, changes = "", reads } = statement.footprint;
    // None of the rows that are kept back is changed by another one: they go out in their order.
    const touched = appends ? reads : [changes, ...reads];
    if (touched.length === 0) return;
    const isNeeded = this.#rows.some((row) => {
      const { changes: table = "" } = row.statement.footprint;
      if (touched.includes(table)) return !isElsewhere({ statement, args }, row);
      return !appends && changes !== "" && (REFERENCED.has(table) || REFERENCED.has(changes));
    });
    if (isNeeded) this.#flush();
  }

  /** By statement: none of them reads what another one adds. Foreign keys follow the order in which they first appear. */
  #flush(): void {
    if (this.#rows.length === 0) return;
    this.#sent = this.#writes;
    const byStatement = Map.groupBy(this.#rows.splice(0), ({ statement }) => statement);
    for (const [statement, rows] of byStatement)
      for (let at = 0; at < rows.length; ) {
        const size = ROWS_AT_ONCE.find((size) => size <= rows.length - at) ?? 1;
        const some = rows.slice(at, at + size).map(({ args }) => args);
        const { name, postgres } = statement;
        this.#write({
          name: `${name}x${size}`,
          text: severalRowsOnPostgres(postgres, size),
          values: values(postgres, ...some),
        });
        at += size;
      }
  }

  #write(query: pg.QueryConfig): void {
    this.#last = this.#ask(query).catch(() => undefined);
  }

  async #ask(query: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(query);
    } catch (error) {
      // The first one is the reason for all others.
      this.#failure ??= error as Error;
      throw error;
    }
  }

  #send(command: string): void {
    this.#client.query(command).catch(this.#break);
  }

  readonly #break = (): void => {
    this.#broken = true;
  };
}
