/** What is larger is dealt with by itself. */
const LARGE = 64 * 1024;
/** What waits for something, or for somebody, does not keep others from their turn. */
const MOST_MS = 100;

type Begin = () => void;

/**
 * To parse and store a megabyte takes milliseconds, and ten that arrived together would take them in one go. So large
 * bodies have turns: one is dealt with, everybody else is served, then comes the next. Principals take turns too: whoever
 * sends one waits for one of each other, not for all that somebody sends.
 */
export class LargeBodies {
  readonly #waiting = new Map<string, Begin[]>();
  #busy = false;

  /** Resolves when it is this one's turn, which ends when the result is disposed of; at once, with nothing, for what is small. */
  begin(principal_id: string, bytes: number): Promise<Disposable> | undefined {
    if (bytes <= LARGE) return undefined;
    const { promise, resolve } = Promise.withResolvers<Disposable>();
    this.#waiting.set(principal_id, [...(this.#waiting.get(principal_id) ?? []), () => resolve(this.#turn())]);
    if (!this.#busy) {
      this.#busy = true;
      // To have read it took some time too: others come first.
      setImmediate(() => this.#next());
    }
    return promise;
  }

  #turn(): Disposable {
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      clearTimeout(late);
      setImmediate(() => this.#next());
    };
    const late = setTimeout(end, MOST_MS);
    return { [Symbol.dispose]: end };
  }

  #next(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#busy = false;
      return;
    }
    const [principal_id, [begin, ...others]] = first;
    // Whoever has more waits behind everybody else.
    this.#waiting.delete(principal_id);
    if (others.length > 0) this.#waiting.set(principal_id, others);
    begin?.();
  }
}
