import { ownWork } from "../own-work.ts";

/** Of what a principal may ask in a second so much is begun in one turn of the event loop. */
const SECONDS_A_TURN = 0.02;
/** What a page asks for when it opens. */
const LEAST_A_TURN = 4;
/** What a turn costs others at most, by the time that this thread works: then fewer are begun in the next. */
const MOST_WORK_MS = 2;

type Begin = () => void;

/**
 * A thousand requests that arrive together would be served in one go, and whoever asks next waits for all of them. So each
 * principal begins a few in a turn of the event loop, and the rest in the next ones, in their order: others wait for those
 * few. Where they turn out to be costly fewer are begun, down to one. Nobody who keeps to its limit comes to so many.
 */
export class FairTurns {
  readonly #most: number;
  readonly #work: () => number;
  readonly #begun = new Map<string, number>();
  readonly #waiting = new Map<string, Begin[]>();
  #a_turn: number;
  #worked: number | undefined;
  #turn: NodeJS.Immediate | undefined;

  /** `rate`: how many requests a second each may make. `work`: milliseconds that this thread has worked so far. */
  constructor(rate: number, work: () => number = ownWork) {
    this.#most = Math.max(LEAST_A_TURN, Math.ceil(rate * SECONDS_A_TURN));
    this.#a_turn = this.#most;
    this.#work = work;
  }

  /** Resolves when it is this one's turn; with nothing to wait for, nothing is returned. */
  begin(principal_id: string): Promise<void> | undefined {
    this.#turn ??= setImmediate(() => this.#next());
    const waiting = this.#waiting.get(principal_id);
    const begun = this.#begun.get(principal_id) ?? 0;
    if (!waiting && begun < this.#a_turn) {
      this.#begun.set(principal_id, begun + 1);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    if (waiting) waiting.push(resolve);
    else this.#waiting.set(principal_id, [resolve]);
    return promise;
  }

  #next(): void {
    this.#adapt();
    this.#begun.clear();
    for (const [principal_id, waiting] of this.#waiting) {
      const first = waiting.splice(0, this.#a_turn);
      this.#begun.set(principal_id, first.length);
      if (waiting.length === 0) this.#waiting.delete(principal_id);
      for (const begin of first) begin();
    }
    this.#turn = this.#begun.size > 0 ? setImmediate(() => this.#next()) : undefined;
  }

  /** Looks at what the last turn has cost while somebody waits; who comes later begins as ever. */
  #adapt(): void {
    const before = this.#worked;
    this.#worked = this.#waiting.size > 0 ? this.#work() : undefined;
    if (this.#worked === undefined) this.#a_turn = this.#most;
    else if (before !== undefined && this.#worked - before > MOST_WORK_MS)
      this.#a_turn = Math.max(1, Math.floor(this.#a_turn / 2));
    else this.#a_turn = Math.min(this.#most, this.#a_turn + 1);
  }
}
