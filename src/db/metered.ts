import { ownWork } from "../own-work.ts";
import type { Reader } from "./database.ts";
import type { Statement } from "./statement.ts";

/**
 * Knows how long its reads have kept this thread at work, and so everybody else waiting: all of a read on SQLite; on
 * PostgreSQL, which reads elsewhere, next to nothing.
 */
export class MeteredReader implements Reader {
  readonly #reader: Reader;
  worked_ms = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    return this.#meter(() => this.#reader.get(statement, args));
  }

  all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    return this.#meter(() => this.#reader.all(statement, args));
  }

  /** What is done before it is waited for. */
  #meter<T>(read: () => Promise<T>): Promise<T> {
    const before = ownWork();
    const rows = read();
    this.worked_ms += ownWork() - before;
    return rows;
  }
}
