import { ParleyError } from "../errors.ts";

/** What holds some of a space's subscriptions. */
export interface Holder {
  readonly size: number;
  /** For how long it could not be told anything, in milliseconds. */
  readonly idle: number;
  leave(): void;
}

/** A client that was killed says no goodbye. One that is only between two streams is back by then. */
const GONE_MS = 60_000;

/** How many subscriptions by name each space has on this node, and that they are not too many. */
export class Seats {
  readonly #most: number;
  readonly #holders = new Map<string, Set<Holder>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Call it before the holder counts one more. */
  take(space_id: string, holder: Holder): void {
    const holders = this.#holders.get(space_id) ?? new Set();
    if (this.#count(holders) >= this.#most) longestGone(holders)?.leave();
    if (this.#count(holders) >= this.#most)
      throw new ParleyError(
        "TOO_MANY_SUBSCRIPTIONS",
        `A space has at most ${this.#most} subscriptions to notifications. Unsubscribe from one first.`,
      );
    this.#holders.set(space_id, holders.add(holder));
  }

  giveBack(space_id: string, holder: Holder): void {
    const holders = this.#holders.get(space_id);
    holders?.delete(holder);
    if (holders?.size === 0) this.#holders.delete(space_id);
  }

  #count(holders: ReadonlySet<Holder>): number {
    let count = 0;
    for (const { size } of holders) count += size;
    return count;
  }
}

function longestGone(holders: ReadonlySet<Holder>): Holder | undefined {
  const [longest] = [...holders].filter(({ idle }) => idle > GONE_MS).sort((a, b) => b.idle - a.idle);
  return longest;
}
