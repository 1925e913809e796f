import { ParleyError } from "./errors.ts";

const BURST_SECONDS = 10;
const FORGET_ABOVE = 10_000;

/** A bucket of calls a principal: it fills at the rate and holds ten seconds' worth. */
export class RateLimit {
  readonly #rate: number;
  readonly #limited: () => void;
  readonly #buckets = new Map<string, { left: number; at: number }>();
  #forget_at = FORGET_ABOVE;

  /** `limited` is told of each refusal. */
  constructor(rate: number, limited: () => void = () => {}) {
    this.#rate = rate;
    this.#limited = limited;
  }

  take(principal_id: string, now = performance.now()): void {
    const most = this.#rate * BURST_SECONDS;
    const bucket = this.#buckets.get(principal_id) ?? this.#add(principal_id, most, now);
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.#rate);
    bucket.at = now;
    if (bucket.left < 1) {
      this.#limited();
      const retry_after = Math.ceil((1 - bucket.left) / this.#rate);
      throw new ParleyError("RATE_LIMITED", `Too many calls. Try again in ${retry_after} s.`, {
        details: { retry_after },
      });
    }
    bucket.left -= 1;
  }

  #add(principal_id: string, left: number, at: number): { left: number; at: number } {
    if (this.#buckets.size >= this.#forget_at) this.#forget(at);
    const bucket = { left, at };
    this.#buckets.set(principal_id, bucket);
    return bucket;
  }

  /** A bucket that has had the time to fill is the same as none. */
  #forget(now: number): void {
    for (const [principal_id, { at }] of this.#buckets)
      if (now - at >= BURST_SECONDS * 1000) this.#buckets.delete(principal_id);
    this.#forget_at = Math.max(FORGET_ABOVE, this.#buckets.size * 2);
  }
}
