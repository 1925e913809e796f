import type pg from "pg";
import type { Writer } from "./batch.ts";
import { type Statement, values } from "./statement.ts";
import { type CounterRow, lockedCounterOf, saveCounter } from "./store.ts";

export const prepared = <A>(statement: Statement<A>, args: A): pg.QueryConfig => ({
  name: statement.name,
  text: statement.postgres.text,
  values: values(statement.postgres, args),
});

/**
 * A transaction on one pipelined connection. What cannot fail by itself (BEGIN, SAVEPOINT,
 * RELEASE) is sent without waiting for its answer: should it fail after all, the server
 * refuses everything behind it, up to the COMMIT.
 */
export class PostgresWriter implements Writer {
  readonly #client: pg.PoolClient;
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
    // The statement's type says what its rows look like.
    return (await this.#client.query(prepared(statement, args))).rows as R[];
  }

  async run<A>(statement: Statement<A>, args: A): Promise<number> {
    return (await this.#client.query(prepared(statement, args))).rowCount ?? 0;
  }

  async runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void> {
    await Promise.all(rows.map((row) => this.run(statement, row)));
  }

  async begin(): Promise<void> {
    this.#open = true;
    this.#send("begin");
  }

  async commit(): Promise<void> {
    const result = await this.#client.query("commit");
    this.#open = false;
    // A transaction that failed before answers COMMIT with ROLLBACK, and no error.
    if (result.command !== "COMMIT") throw new Error("the transaction was rolled back");
  }

  async rollback(): Promise<void> {
    this.#open = false;
    await this.#client.query("rollback");
  }

  savepoint(): void {
    this.#send("savepoint one");
  }

  release(): void {
    this.#send("release savepoint one");
  }

  async rollbackToSavepoint(): Promise<void> {
    await this.#client.query("rollback to savepoint one");
    await this.#client.query("release savepoint one");
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

  #send(command: string): void {
    this.#client.query(command).catch(this.#break);
  }

  readonly #break = (): void => {
    this.#broken = true;
  };
}
