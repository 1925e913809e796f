/** How often it is looked whether it is silent for too long. */
const LOOK_MS = 1000;

export interface SilenceLimits {
  /** How long a program may say nothing while it works. */
  silence_ms: number;
  /** The clock of its silence. */
  now: () => number;
}

/** Gives up on a program that says nothing any more. While a person is asked it need not say anything. */
export class Silence {
  readonly #limits: SilenceLimits;
  #asking = 0;
  #heard_at = 0;

  constructor(limits: SilenceLimits) {
    this.#limits = limits;
  }

  heard(): void {
    this.#heard_at = this.#limits.now();
  }

  async excused<T>(ask: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    try {
      return await ask();
    } finally {
      this.#asking -= 1;
      this.heard();
    }
  }

  /** `over` is rejected when it was silent for too long. */
  watch() {
    const { silence_ms, now } = this.#limits;
    const over = Promise.withResolvers<never>();
    over.promise.catch(() => {});
    let is_over = false;
    this.heard();
    const look = (): void => {
      if (this.#asking > 0) this.heard();
      if (now() - this.#heard_at < silence_ms) return;
      is_over = true;
      over.reject(new Error(`The program has said nothing for ${silence_ms / 1000} s.`));
    };
    const timer = setInterval(look, LOOK_MS);
    return { over: over.promise, isOver: () => is_over, stop: () => clearInterval(timer) };
  }
}
