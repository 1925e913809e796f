/** How many of something each principal holds, and that it is not too many. */
export class Quota {
  readonly #held = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** False when that would be one too many; then nothing was taken. */
  take(principal_id: string): boolean {
    const held = this.#held.get(principal_id) ?? 0;
    if (held >= this.#most) return false;
    this.#held.set(principal_id, held + 1);
    return true;
  }

  giveBack(principal_id: string): void {
    const held = this.#held.get(principal_id) ?? 0;
    if (held > 1) this.#held.set(principal_id, held - 1);
    else this.#held.delete(principal_id);
  }
}
