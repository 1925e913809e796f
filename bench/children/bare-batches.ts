import { DatabaseSync } from "node:sqlite";
import type { Recording, Step } from "./record.ts";

interface Ready {
  call: (...args: Step["args"]) => unknown;
  args: Step["args"];
  /** Where among the arguments the post's id goes. */
  places: number[];
}

/**
 * What the hub's statements cost when nothing is around them: no promises, no queue, one call after another. Cut from
 * a recorded transaction: what comes before the first post, what each post does, what comes after the last.
 */
export class BareBatches {
  readonly #database: DatabaseSync;
  readonly #shared: { before: Ready[]; each: Ready[]; after: Ready[] };
  readonly #alone: Ready[];
  #last = 0;

  constructor(file: string, { two, one }: { two: Recording; one: Recording }) {
    this.#database = new DatabaseSync(file, { timeout: 5000 });
    // As the hub opens its file.
    this.#database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000");
    this.#database.exec("pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000");
    const first = two.steps.findIndex(({ sql }) => sql.startsWith("savepoint"));
    // The second post: what the hub does once for both is not done for it.
    const from = two.steps.findLastIndex(({ sql }) => sql.startsWith("savepoint"));
    const to = two.steps.findLastIndex(({ sql }) => sql.startsWith("release"));
    this.#shared = {
      before: this.#ready(two.steps.slice(0, first), two.ids),
      each: this.#ready(two.steps.slice(from, to + 1), two.ids),
      after: this.#ready(two.steps.slice(to + 1), two.ids),
    };
    this.#alone = this.#ready(one.steps, one.ids);
  }

  /** One durable transaction with so many posts. */
  run(count: number): void {
    if (count === 1) perform(this.#alone, this.#nextId());
    else {
      perform(this.#shared.before, 0);
      for (let post = 0; post < count; post += 1) perform(this.#shared.each, this.#nextId());
      perform(this.#shared.after, this.#last);
    }
  }

  #ready(steps: readonly Step[], ids: readonly number[]): Ready[] {
    return steps.map(({ method, sql, args, found }) => {
      const statement = this.#database.prepare(sql);
      if (method === "get" && found !== (statement.get(...args) !== undefined))
        throw new Error(`the copy does not hold what the hub's file held: ${sql}`);
      const places = args.flatMap((arg, place) => (typeof arg === "number" && ids.includes(arg) ? [place] : []));
      return { call: statement[method].bind(statement), args: [...args], places };
    });
  }

  #nextId(): number {
    this.#last = Math.max(this.#last + 1, Date.now() * 1000);
    return this.#last;
  }
}

function perform(steps: readonly Ready[], id: number): void {
  for (const { call, args, places } of steps) {
    for (const place of places) args[place] = id;
    call(...args);
  }
}
