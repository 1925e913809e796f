import type { FeedEvent } from "../feed/event.ts";
import type { Writer } from "./batch.ts";
import type { Committed, Tx } from "./database.ts";
import type { ReadCache } from "./read-cache.ts";
import type { Statement } from "./statement.ts";

/** A space's counter while a batch holds it. */
export interface Counter extends Committed {
  expires_at: string | null;
  ends: (() => Promise<unknown>)[];
  sums: Sum[];
}

interface Sum {
  statement: Statement<{ by: number }>;
  args: object;
  by: number;
}

/** What operations of a batch have added, each number once. */
export function addedUp(sums: readonly Sum[]): Sum[] {
  const totals = new Map<string, Sum>();
  for (const sum of sums) {
    const key = `${sum.statement.name} ${JSON.stringify(sum.args)}`;
    totals.set(key, { ...sum, by: sum.by + (totals.get(key)?.by ?? 0) });
  }
  return [...totals.values()];
}

interface Parts {
  writer: Writer;
  counter: Counter;
  now: () => number;
  cache: ReadCache | undefined;
}

// Nobody runs anything on it.
const NOTHING = { counter: {} } as Parts;

/** A class, since one is made for every operation and a set of closures costs more than the operation's own statements. */
export class Transaction implements Tx {
  /** V8 throws away what it compiled for them when a full collection finds none, as it does while nobody writes. */
  static readonly kept = new Transaction(NOTHING);
  readonly space_id: string;
  readonly prefetching = false;
  readonly #writer: Writer;
  readonly #counter: Counter;
  readonly #now: () => number;
  readonly #cache: ReadCache | undefined;
  /** What it began beside its failure must not get into what follows. */
  failed = false;

  constructor({ writer, counter, now, cache }: Parts) {
    this.space_id = counter.space_id;
    this.#writer = writer;
    this.#counter = counter;
    this.#now = now;
    this.#cache = cache;
  }

  get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    if (!this.#cache) return this.#writer.get(statement, args);
    return this.#cache.all(this.#writer, statement, args).then(([row]) => row);
  }

  all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    return this.#cache ? this.#cache.all(this.#writer, statement, args) : this.#writer.all(statement, args);
  }

  run<A>(statement: Statement<A>, args: A): Promise<void> {
    this.#assertRunning();
    this.#cache?.change(statement, args);
    return this.#writer.run(statement, args);
  }

  runAll<A>(statement: Statement<A>, rows: readonly A[]): Promise<void> {
    this.#assertRunning();
    for (const row of rows) this.#cache?.change(statement, row);
    return this.#writer.runAll(statement, rows);
  }

  runCounted<A>(statement: Statement<A>, args: A): Promise<number> {
    this.#assertRunning();
    this.#cache?.change(statement, args);
    return this.#writer.runCounted(statement, args);
  }

  takeId(): number {
    this.#assertRunning();
    // Microseconds of now, or one more than the last: never twice, never backwards, whatever the clock does.
    this.#counter.last_id = Math.max(this.#counter.last_id + 1, this.#now() * 1000);
    return this.#counter.last_id;
  }

  announce(event: FeedEvent): void {
    this.#assertRunning();
    this.#counter.events.push(event);
  }

  markPlanned(kind: string, at: number, space_id: string): void {
    this.#assertRunning();
    const { planned, planned_in } = this.#counter;
    planned_in.add(space_id);
    planned.set(kind, Math.min(at, planned.get(kind) ?? at));
  }

  atEnd(work: (tx: Tx) => Promise<unknown>): void {
    this.#assertRunning();
    this.#counter.ends.push(() => work(this));
  }

  addUp<A extends object>(statement: Statement<A & { by: number }>, args: A, by: number): void {
    this.#assertRunning();
    // Run with these very arguments.
    this.#counter.sums.push({ statement: statement as Statement<{ by: number }>, args, by });
  }

  #assertRunning(): void {
    if (this.failed) throw new Error("the operation has failed already");
  }
}
