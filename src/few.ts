/** Lets a few do something at a time, one piece of it in each turn of the event loop; the others wait in their order. */
export class Few {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(at_once: number) {
    this.#free = at_once;
  }

  async run<T>(piece: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await piece();
    } finally {
      setImmediate(() => this.#next());
    }
  }

  #next(): void {
    const begin = this.#waiting.shift();
    if (begin) begin();
    else this.#free += 1;
  }
}
