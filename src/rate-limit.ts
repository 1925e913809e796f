import { ParleyError } from "./errors.ts";

const BURST_SECONDS = 10;
const FORGET_ABOVE = 10_000;
/** What is read or answered beyond this costs as another call does: about as much time as one takes. */
const BYTES_A_CALL = 16 * 1024;

type Counted = "calls" | "bytes" | "requests";

interface Bucket {
  left: number;
  at: number;
}

/** What a body or an answer of so many bytes costs beside the call itself. */
export const costOf = (bytes: number): number => Math.floor(bytes / BYTES_A_CALL);

/** Next to nothing keeps the hub at work for so long; what does takes from others. */
const FREE_WORK_MS = 5;
const WORK_MS_A_CALL = 0.5;

/** What reads that kept the hub at work for so long cost beside the call itself. */
export const costOfWork = (ms: number): number => (ms < FREE_WORK_MS ? 0 : Math.floor(ms / WORK_MS_A_CALL));

/** A bucket of calls, or of bytes, a principal: it fills at the rate and holds ten seconds' worth. */
export class RateLimit {
  readonly #rate: number;
  readonly #of: Counted;
  readonly #limited: () => void;
  readonly #buckets = new Map<string, Bucket>();
  #forget_at = FORGET_ABOVE;

  /** `limited` is told of each refusal. */
  constructor(rate: number, limited: () => void = () => {}, of: Counted = "calls") {
    this.#rate = rate;
    this.#of = of;
    this.#limited = limited;
  }

  /** Whether the next call would be refused. */
  isSpent(principal_id: string): boolean {
    return this.#filled(principal_id, performance.now()).left < 1;
  }

  /** Refused where not even one call is left. What costs more is let through and has to be waited for afterwards. */
  take(principal_id: string, now = performance.now(), cost = 1): void {
    if (cost <= 0) return;
    const bucket = this.#filled(principal_id, now);
    if (bucket.left < 1) throw this.refusal(principal_id, now);
    this.#spend(bucket, cost);
  }

  /** What `take` throws, for whoever has found out before that it would. */
  refusal(principal_id: string, now = performance.now()): ParleyError {
    this.#limited();
    const retry_after = Math.max(1, Math.ceil((1 - this.#filled(principal_id, now).left) / this.#rate));
    return new ParleyError("RATE_LIMITED", `Too many ${this.#of}. Try again in ${retry_after} s.`, {
      details: { retry_after },
    });
  }

  /** For what turns out to have cost more once it is done. */
  spend(principal_id: string, cost: number): void {
    if (cost > 0) this.#spend(this.#filled(principal_id, performance.now()), cost);
  }

  /** At most as far below nothing as the bucket is deep: whoever comes again later is not kept out for ever. */
  #spend(bucket: Bucket, cost: number): void {
    bucket.left = Math.max(bucket.left - cost, -this.#rate * BURST_SECONDS);
  }

  #filled(principal_id: string, now: number): Bucket {
    const most = this.#rate * BURST_SECONDS;
    const bucket = this.#buckets.get(principal_id) ?? this.#add(principal_id, most, now);
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.#rate);
    bucket.at = now;
    return bucket;
  }

  #add(principal_id: string, left: number, at: number): Bucket {
    if (this.#buckets.size >= this.#forget_at) this.#forget(at);
    const bucket = { left, at };
    this.#buckets.set(principal_id, bucket);
    return bucket;
  }

  /** A bucket that has had the time to fill is the same as none, also one that was spent twice over. */
  #forget(now: number): void {
    for (const [principal_id, { at }] of this.#buckets)
      if (now - at >= 2 * BURST_SECONDS * 1000) this.#buckets.delete(principal_id);
    this.#forget_at = Math.max(FORGET_ABOVE, this.#buckets.size * 2);
  }
}
