import type { Committed, Database, Health, Operation } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";

/**
 * A real database as one node among several sees it: `tell` is its own commit, `ring` is word of
 * somebody else's. `between` is awaited before and after each read, as if the database were far away.
 */
export class NodeView implements Database {
  readonly backend: Database["backend"];
  readonly shared = true;
  readonly revisionOf = (): undefined => undefined;
  readonly epoch: string;
  tell: (committed: Committed) => void = () => {};
  ring: (space_id: string, last_id?: number) => void = () => {};
  watched: readonly string[] = [];
  readonly #database: Database;
  readonly #between: () => Promise<unknown>;

  constructor(database: Database, between: () => Promise<unknown>) {
    this.#database = database;
    this.backend = database.backend;
    this.epoch = database.epoch;
    this.#between = between;
  }

  get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    return this.#read(() => this.#database.get(statement, args));
  }

  all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    return this.#read(() => this.#database.all(statement, args));
  }

  async #read<T>(query: () => Promise<T>): Promise<T> {
    await this.#between();
    const found = await query();
    await this.#between();
    return found;
  }

  compareAndSet<A>(statement: Statement<A>, args: A): Promise<number> {
    return this.#database.compareAndSet(statement, args);
  }

  write<T>(space_id: string, operation: Operation<T>): Promise<T> {
    return this.#database.write(space_id, operation);
  }

  now(): number {
    return this.#database.now();
  }

  wall(): number {
    return this.#database.wall();
  }

  tidy(): Promise<void> {
    return this.#database.tidy();
  }

  beginStop(): void {
    this.#database.beginStop();
  }

  health(): Health {
    return this.#database.health();
  }

  onCommit(listener: (committed: Committed) => void): void {
    this.tell = listener;
  }

  onRemote(listener: (space_id: string, last_id?: number) => void): void {
    this.ring = listener;
  }

  onFatal(): void {}

  watch(space_ids: readonly string[]): void {
    this.watched = space_ids;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
