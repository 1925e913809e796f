/** To tell somebody takes some hundred microseconds with everything that follows from it: for so many of them others wait. */
const STEPS_A_TURN = 8;

/**
 * Does what is much in small steps, a few of them in each turn of the event loop, so that a thousand who are to be told of
 * something keep nobody else waiting. What is little is done at once. Several that have something to do take turns, each
 * in its own order.
 */
export class Turns<Key> {
  readonly #work = new Map<Key, Iterator<unknown>>();
  #next: NodeJS.Immediate | undefined;

  isBusy(key: Key): boolean {
    return this.#work.has(key);
  }

  /** Each step of the iterator does something. Not for a key that is busy. */
  begin(key: Key, steps: Iterator<unknown>): void {
    this.#work.set(key, steps);
    if (!this.#next) this.#runSome();
  }

  #runSome(): void {
    let left = STEPS_A_TURN;
    // One that is put back comes last: the loop ends when nothing is left to do, or of the turn.
    for (const [key, steps] of this.#work) {
      const { done } = steps.next();
      this.#work.delete(key);
      if (!done) this.#work.set(key, steps);
      left -= 1;
      if (left === 0) break;
    }
    this.#next = this.#work.size > 0 ? setImmediate(() => this.#runSome()) : undefined;
  }
}
