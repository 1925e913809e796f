const NEAR_PX = 40;

/** How much came to the end of a list that somebody is not looking at. */
export class Arrivals {
  /** Whether the end where new ones come is seen. */
  near = $state(true);
  #seen = $state<number>();

  /** The last position there is, each time the list was read. */
  take(last: number): void {
    if (this.near || this.#seen === undefined) this.#seen = last;
  }

  /** Somebody scrolled: that end is so far away. */
  scrolled(away: number, last: number): void {
    this.near = away < NEAR_PX;
    this.take(last);
  }

  isNew(position: number): boolean {
    return !this.near && this.#seen !== undefined && position > this.#seen;
  }

  /** Another list. */
  reset(): void {
    this.near = true;
    this.#seen = undefined;
  }
}
