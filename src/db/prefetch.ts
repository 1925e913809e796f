import type { Job, Writer } from "./batch.ts";
import type { Tx } from "./database.ts";
import type { ReadCache } from "./read-cache.ts";
import type { Statement } from "./statement.ts";

interface Batch {
  writer: Writer;
  jobs: readonly Job[];
  cache: ReadCache;
}

/**
 * Runs all operations of a batch side by side up to where each first writes, for what they read: so a batch waits for as
 * many round trips as its longest chain of reads has, and not for those of all its operations one after another. What
 * came of them does not count. Each runs again in its turn, and finds in the cache what nobody before it has changed.
 */
export async function prefetch({ writer, jobs, cache }: Batch): Promise<void> {
  await Promise.all(
    jobs.map(async ({ space_id, operation }) => {
      const tx = new Prefetching(writer, cache, space_id);
      // Failing here is no failure: perhaps an operation before it makes what it did not find.
      const ended = operation(tx).then(
        () => undefined,
        () => undefined,
      );
      await Promise.race([ended, tx.writing]);
      tx.over = true;
    }),
  );
}

const WRITES = new Error("from here on it writes");
/** Never settled: whoever waits goes no further. One for each: whoever waits for one that all share is kept by it for ever. */
const never = (): Promise<never> => new Promise(() => {});

class Prefetching implements Tx {
  readonly space_id: string;
  readonly prefetching = true;
  readonly writing: Promise<void>;
  readonly #writer: Writer;
  readonly #cache: ReadCache;
  readonly #reached: () => void;
  /** What it does beside its first write reads no more: by then the connection may be somebody else's. */
  over = false;

  constructor(writer: Writer, cache: ReadCache, space_id: string) {
    this.#writer = writer;
    this.#cache = cache;
    this.space_id = space_id;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.writing = promise;
    this.#reached = resolve;
  }

  async get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    return (await this.all(statement, args))[0];
  }

  all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    return this.over ? never() : this.#cache.all(this.#writer, statement, args);
  }

  run = (): Promise<never> => this.#stop();
  runAll = (): Promise<never> => this.#stop();
  runCounted = (): Promise<never> => this.#stop();

  #stop(): Promise<never> {
    this.#reached();
    return never();
  }

  takeId(): never {
    throw WRITES;
  }

  announce(): never {
    throw WRITES;
  }

  markPlanned(): never {
    throw WRITES;
  }

  atEnd(): never {
    throw WRITES;
  }

  addUp(): never {
    throw WRITES;
  }
}
