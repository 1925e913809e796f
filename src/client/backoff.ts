export interface Pace {
  first_ms: number;
  most_ms: number;
}

export const PACE: Pace = { first_ms: 250, most_ms: 30_000 };

/** Longer and longer pauses, each by chance between half and whole, so that a thousand clients do not come back at once. */
export class Backoff {
  readonly #pace: Pace;
  #tries = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  next(random: () => number = Math.random): number {
    const { first_ms, most_ms } = this.#pace;
    const most = Math.min(most_ms, first_ms * 2 ** Math.min(this.#tries, 16));
    this.#tries += 1;
    return most / 2 + (most / 2) * random();
  }

  reset(): void {
    this.#tries = 0;
  }
}

/** A pause that somebody may end early. */
export class Pause {
  #end: () => void = () => {};

  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end();
  }
}
