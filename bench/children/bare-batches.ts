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
 * two recorded transactions, of one post and of two: what a second post adds is what each further one does.
 */
export class BareBatches {
  readonly #database: DatabaseSync;
  /** Up to the first post and with it. */
  readonly #first: Ready[];
  readonly #further: Ready[];
  readonly #end: Ready[];
  #last = 0;

  constructor(file: string, { two, one }: { two: Recording; one: Recording }) {
    this.#database = new DatabaseSync(file, { timeout: 5000 });
    // As the hub opens its file.
    this.#database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000");
    this.#database.exec("pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000");
    const { first, further, end } = cut(one.steps, two.steps);
    this.#first = this.#ready(first, two.ids);
    this.#further = this.#ready(further, two.ids);
    this.#end = this.#ready(end, two.ids);
  }

  /** One durable transaction with so many posts. */
  run(count: number): void {
    perform(this.#first, this.#nextId());
    for (let post = 1; post < count; post += 1) perform(this.#further, this.#nextId());
    perform(this.#end, this.#last);
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

/** Both begin and end alike; in between, the second post has been put in. */
function cut(one: readonly Step[], two: readonly Step[]): Record<"first" | "further" | "end", Step[]> {
  const differs = one.findIndex(({ sql }, at) => sql !== two[at]?.sql);
  const added = two.length - one.length;
  const end = two.slice(differs + added);
  const alike = one.slice(differs).every(({ sql }, at) => sql === end[at]?.sql);
  if (differs < 0 || added < 1 || !alike) throw new Error("the hub no longer writes the way the bench knows");
  return { first: two.slice(0, differs), further: two.slice(differs, differs + added), end };
}

function perform(steps: readonly Ready[], id: number): void {
  for (const { call, args, places } of steps) {
    for (const place of places) args[place] = id;
    call(...args);
  }
}
