import type { Fields } from "./entry.ts";

/** How long refusals of one kind are counted before they become a line. */
const MERGE_MS = 60_000;
/** Beyond these no kinds are told apart. */
const MOST_KINDS = 5000;

interface Merged {
  fields: Fields;
  /** How many came after the first. */
  count: number;
}

/**
 * Whoever is refused a hundred thousand times is not to wash everything else out of the audit. The first refusal of a
 * kind is a line at once; those that follow within a minute are one line together.
 */
export class Merge {
  readonly #write: (fields: Fields) => void;
  readonly #kinds = new Map<string, Merged>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (fields: Fields) => void) {
    this.#write = write;
  }

  add(kind: readonly unknown[], fields: () => Fields): void {
    const key = this.#kinds.size < MOST_KINDS ? kind.join("\n") : "";
    const known = this.#kinds.get(key);
    if (known) {
      known.count += 1;
      return;
    }
    const first = fields();
    this.#kinds.set(key, { fields: first, count: 0 });
    this.#write(first);
    this.#timer ??= setTimeout(() => this.flush(), MERGE_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ts = new Date().toISOString();
    for (const { fields, count } of this.#kinds.values())
      if (count > 0) this.#write({ ...fields, ts, since: fields.ts, count });
    this.#kinds.clear();
  }
}
