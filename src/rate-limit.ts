import { ParleyError } from "./errors.ts";

const BURST_SECONDS = 10;
const FORGET_ABOVE = 10_000;

/** A bucket of calls a principal: it fills at the rate and holds ten seconds' worth. */
export class RateLimit {
  readonly #rate: number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(rate: number) {
    this.#rate = rate;
  }

  take(principal_id: string, now = performance.now()): void {
    const most = this.#rate * BURST_SECONDS;
    const bucket = this.#buckets.get(principal_id) ?? this.#add(principal_id, most, now);
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.#rate);
    bucket.at = now;
    if (bucket.left < 1) {
      const retry_after = Math.ceil((1 - bucket.left) / this.#rate);
      throw new ParleyError("RATE_LIMITED", `Too many calls. Try again in ${retry_after} s.`, {
        details: { retry_after },
      });
    }
    bucket.left -= 1;
  }

  #add(principal_id: string, left: number, at: number): { left: number; at: number } {
    // A full bucket is the same as none: dropping the oldest forgets nothing that matters for long.
    if (this.#buckets.size >= FORGET_ABOVE) this.#buckets.delete(this.#buckets.keys().next().value ?? "");
    const bucket = { left, at };
    this.#buckets.set(principal_id, bucket);
    return bucket;
  }
}
