const FIRST_OF_TWO_MS = 1500;

interface Keyed {
  keys?: readonly string[];
}

/** Tells which of them was meant, where one takes two keys. */
export class KeyReader {
  #first: { key: string; at: number } | undefined;

  read<T extends Keyed>(table: readonly T[], key: string, at: number): T | undefined {
    const first = this.#first && at - this.#first.at < FIRST_OF_TWO_MS ? this.#first.key : undefined;
    this.#first = undefined;
    const two = table.find(({ keys }) => keys?.length === 2 && keys[0] === first && keys[1] === key);
    if (two) return two;
    if (table.some(({ keys }) => keys?.length === 2 && keys[0] === key)) this.#first = { key, at };
    return table.find(({ keys }) => keys?.length === 1 && keys[0] === key);
  }
}
