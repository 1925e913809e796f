import type pg from "pg";
import { RolledBack, type Writer } from "./batch.ts";
import { type Answer, Flush, PassedOver, type Prepared } from "./flush.ts";
import { isElsewhere, REFERENCED } from "./footprint.ts";
import { type Statement, severalRowsOnPostgres, type Value, values } from "./statement.ts";
import { type CounterRow, lockedCounterOf, saveCounter } from "./store.ts";

/** Rows that go out as one insert: one of these sizes, so that few statements have to be prepared. */
const ROWS_AT_ONCE = [64, 32, 16, 8, 4, 2, 1];
/** Each write looks through them for what it needs. */
const MOST_KEPT_BACK = 256;
const DONE = Promise.resolve();

const BEGIN = command("begin");
const COMMIT = command("commit");
const ROLLBACK = command("rollback");
const SAVEPOINT = command("savepoint one");
const RELEASE = command("release savepoint one");
const BACK_TO_SAVEPOINT = command("rollback to savepoint one");

function command(text: string): Prepared {
  return { name: text, text, values: [] };
}

export const prepared = <A>(statement: Statement<A>, args: A): Prepared & { values: Value[] } => ({
  name: statement.name,
  text: statement.postgres.text,
  values: values(statement.postgres, args),
});

interface Row {
  statement: Statement;
  args: unknown;
}

/**
 * A transaction on one pipelined connection. All of a turn of the event loop goes out as one, and nobody waits for the
 * answer to what is written, nor to what cannot fail by itself (BEGIN, SAVEPOINT, RELEASE): should it fail after all,
 * the server passes over or refuses everything behind it, the COMMIT too. New rows are kept back until something has to
 * see them, and then go out many at a time.
 */
export class PostgresWriter implements Writer {
  readonly remote = true;
  readonly #client: pg.PoolClient;
  /** New rows that are not sent yet, the last one last. */
  readonly #rows: Row[] = [];
  /** How many writes there were, sent or not, and which was the last one that was sent. */
  #writes = 0;
  #sent = 0;
  /** What goes out at the end of this turn, and what went last. */
  #waiting: Flush | undefined;
  #last: Flush | undefined;
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
    return (await this.#ask(prepared(statement, args), true)).rows as R[];
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
    const changed = countIn(await this.#ask(prepared(statement, args)));
    // One that lost a race has nothing to take back.
    if (changed > 0) this.#sent = this.#writes += 1;
    return changed;
  }

  async settle(): Promise<void> {
    this.#flush();
    await this.#submit();
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
    this.#send(BEGIN);
  }

  async commit(): Promise<void> {
    this.#flush();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#add({ ...COMMIT, reads: false, resolve, reject });
    const answer = await promise.catch(async (error: unknown) => {
      if (!(error instanceof PassedOver)) throw error;
      // It was not come to, and the transaction is there to be ended.
      await this.rollback();
      return undefined;
    });
    this.#open = false;
    // A transaction that failed before answers COMMIT with ROLLBACK, and no error.
    if (answer?.tag !== "COMMIT") throw new RolledBack(this.#failure ?? new Error("the transaction was rolled back"));
  }

  async rollback(): Promise<void> {
    this.#open = false;
    this.#rows.length = 0;
    await this.#askApart(ROLLBACK);
  }

  savepoint(): void {
    this.#send(SAVEPOINT);
  }

  release(): void {
    this.#send(RELEASE);
  }

  async rollbackToSavepoint(): Promise<void> {
    this.#rows.length = 0;
    this.#sent = this.#writes;
    await this.#askApart(BACK_TO_SAVEPOINT);
    await this.#ask(RELEASE);
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

  #write(query: Prepared): void {
    this.#add({ ...query, reads: false, resolve: () => undefined, reject: this.#fail });
  }

  #ask(query: Prepared, reads = false): Promise<Answer> {
    return new Promise((resolve, reject) =>
      this.#add({ ...query, reads, resolve, reject: (error) => reject(this.#fail(error)) }),
    );
  }

  /** Not behind anything whose failure would have it passed over. */
  #askApart(query: Prepared): Promise<Answer> {
    void this.#submit();
    return this.#ask(query);
  }

  #send(query: Prepared): void {
    this.#add({ ...query, reads: false, resolve: () => undefined, reject: this.#break });
  }

  #add(step: Parameters<Flush["add"]>[0]): void {
    if (!this.#waiting) {
      const flush = new Flush();
      this.#waiting = flush;
      process.nextTick(() => flush === this.#waiting && this.#submit());
    }
    this.#waiting.add(step);
  }

  /** Resolves when all that was sent is answered. */
  #submit(): Promise<void> {
    if (this.#waiting) {
      this.#last = this.#client.query(this.#waiting);
      this.#waiting = undefined;
    }
    return this.#last?.ended ?? DONE;
  }

  /** The first one is the reason for all others. */
  readonly #fail = (error: Error): Error => {
    this.#failure ??= error instanceof PassedOver ? error.cause : error;
    return error instanceof PassedOver ? error.cause : error;
  };

  readonly #break = (): void => {
    this.#broken = true;
  };
}

/** Of `UPDATE 3` the 3. */
const countIn = ({ tag }: Answer): number => Number(tag.slice(tag.lastIndexOf(" ") + 1));
