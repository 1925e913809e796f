/** What the hub does not know, or not for us. It is asked again now and then: an agent may be registered meanwhile. */
export class Unknown {
  /** Whether the hub's answer still counts. */
  readonly #answered = new Map<string, boolean>();
  readonly #every_ms: number;
  readonly #askAgain: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(every_ms: number, askAgain: () => void) {
    this.#every_ms = every_ms;
    this.#askAgain = askAgain;
  }

  /** Also one that is about to be asked for again. */
  has(uri: string): boolean {
    return this.#answered.has(uri);
  }

  /** There is no use in asking just now. */
  isSettled(uri: string): boolean {
    return this.#answered.get(uri) === true;
  }

  add(uri: string): void {
    this.#answered.set(uri, true);
    this.#timer ??= setTimeout(() => this.ask(), this.#every_ms);
  }

  delete(uri: string): void {
    this.#answered.delete(uri);
  }

  /** Has all of them asked for again. */
  ask(): void {
    this.#stop();
    for (const uri of this.#answered.keys()) this.#answered.set(uri, false);
    this.#askAgain();
  }

  clear(): void {
    this.#stop();
    this.#answered.clear();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
