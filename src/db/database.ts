import type { FeedEvent } from "../feed/event.ts";
import type { Statement } from "./statement.ts";

/** Sees committed rows only. */
export interface Reader {
  get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined>;
  all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]>;
}

/**
 * One operation's view of the transaction it shares with others. Await nothing in
 * it but the database: everybody behind you in the batch is waiting.
 */
export interface Tx extends Reader {
  readonly space_id: string;
  /**
   * Writes. On PostgreSQL it waits for nothing: what is written goes out with the COMMIT, and fails the operation there.
   * A statement whose result decides what happens next is run by `runCounted`.
   */
  run<A>(statement: Statement<A>, args: A): Promise<void>;
  /** The same for each of these rows. */
  runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void>;
  /** Writes, and says how many rows it changed: on PostgreSQL a round trip. */
  runCounted<A>(statement: Statement<A>, args: A): Promise<number>;
  /**
   * This run of the operation only finds out what it will read; it ends where it first writes, and then the operation
   * runs in earnest. Whatever is counted in memory is not counted now.
   */
  readonly prefetching: boolean;
  /** The next position in the space's feed. */
  takeId(): number;
  /** Handed to the feed once the transaction is durable; forgotten if it is not. */
  announce(event: FeedEvent): void;
  /** A row of `due` may have been added that is due soon: the scheduler is told once the transaction is durable. */
  markPlanned(kind: string, at: number, space_id: string): void;
  /**
   * Done in the same transaction once all operations that share it are through, for what is far cheaper done together.
   * It must not fail: that would undo all of them.
   */
  atEnd(work: (tx: Tx) => Promise<unknown>): void;
  /**
   * Adds `by` to a number that is kept. What a batch adds with the same other arguments is one statement at its end: none
   * of its operations sees it.
   */
  addUp<A extends object>(statement: Statement<A & { by: number }>, args: A, by: number): void;
}

/** It may run twice, the first times for nothing: what it does beside its transaction must bear that. */
export type Operation<T> = (tx: Tx) => Promise<T>;

export interface WriteOptions {
  /** For those who tidy up: everybody else is refused once the space has expired. */
  even_expired?: boolean;
  /**
   * Nobody waits for it, and it is done again if it is lost: on SQLite, where a commit keeps everybody waiting, it goes
   * along with what is written next, or by itself some milliseconds later.
   */
  patient?: boolean;
}

export interface Committed {
  space_id: string;
  /** Where the space's counter stood before this transaction. */
  previous_id: number;
  last_id: number;
  events: FeedEvent[];
  /** When what was planned is due at the earliest, in milliseconds, by kind. */
  planned: Map<string, number>;
  /** The spaces in which, most often this one. */
  planned_in: Set<string>;
}

export type Health =
  | { state: "ready" }
  | { state: "full" | "lost" | "failed" | "outdated" | "closing"; reason: string };

export interface Database extends Reader, AsyncDisposable {
  readonly backend: "sqlite" | "postgres";
  /** Whether other nodes may write to it as well. */
  readonly shared: boolean;
  /** Another one after each commit that may have changed these tables; undefined where others write too, and nobody here knows. */
  revisionOf(tables: readonly string[]): number | undefined;
  /** Changes when the data was restored from a backup: remembered positions are then void. */
  readonly epoch: string;
  /** Runs the operation in a transaction of that space, alone or with others; resolves when it is durable. */
  write<T>(space_id: string, operation: Operation<T>, options?: WriteOptions): Promise<T>;
  /**
   * One statement by itself that changes one row, with its condition in WHERE: how many it changed, once that is durable.
   * It takes no turn at a space's counter and tells nobody, so it is for what appends nothing.
   */
  compareAndSet<A>(statement: Statement<A>, args: A): Promise<number>;
  /** Milliseconds since 1970 that never go back: the database's clock on PostgreSQL. */
  now(): number;
  /** What the clock shows just now, which may be less: for what goes by a clock outside, such as a schedule. */
  wall(): number;
  health(): Health;
  /** Called after each commit, in commit order a space. */
  onCommit(listener: (committed: Committed) => void): void;
  /**
   * Called when another node may have written to a watched space, and now and then with a position
   * up to which everything has long been durable. Never on SQLite.
   */
  onRemote(listener: (space_id: string, last_id?: number) => void): void;
  /** Which spaces this node wants to hear of from other nodes. */
  watch(space_ids: readonly string[]): void;
  /** Gives back what is kept of rows that are gone, where that is much. Nobody waits for it. */
  tidy(): Promise<void>;
  /** From now on a database that is out of reach is not waited for: whoever stops a hub gives it a few seconds. */
  beginStop(): void;
  /** Called once, when storage can no longer be trusted, or a newer program has changed it, and the process must end. */
  onFatal(listener: (error: Error) => void): void;
}
