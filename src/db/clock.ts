/** For tests, which set the clock. */
export interface Timekeeping {
  now?: (() => number) | undefined;
  /** Milliseconds that have passed, whatever the clock was set to meanwhile; without it none do. */
  passed?: (() => number) | undefined;
}

interface Options extends Timekeeping {
  /** It has been at least this late already. */
  from?: number;
}

/**
 * The hub's time. It never goes back: where the machine's clock does, it goes on at half the pace until that has caught up. So
 * leases and delays end all the same, at most twice as late, and what happened is not to come again.
 */
export class Clock {
  readonly #wall: () => number;
  readonly #passed: () => number;
  #seen: number;
  #now: number;

  constructor(wall: () => number, { now, passed = now ? () => 0 : () => performance.now(), from = 0 }: Options) {
    this.#wall = now ?? wall;
    this.#passed = passed;
    this.#seen = passed();
    this.#now = from;
  }

  /** What the machine's clock shows, which may go back. */
  wall(): number {
    return Math.floor(this.#wall());
  }

  now(): number {
    const passed = this.#passed();
    this.#now = Math.max(this.#wall(), this.#now + (passed - this.#seen) / 2);
    this.#seen = passed;
    return Math.floor(this.#now);
  }
}

/** What another clock showed, at some time between two of ours. */
export interface Glance {
  asked: number;
  shown: number;
  answered: number;
}

/**
 * How far the other clock is ahead of ours: what was believed so far, or the nearest to it that can be true. An answer that
 * took long says little, and on a busy machine every answer does.
 */
export const offsetAfter = (believed: number, { asked, shown, answered }: Glance): number =>
  Math.min(Math.max(believed, shown - answered), shown - asked);
