const FORGET_ABOVE = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/** Token buckets, one a key: each fills at `rate` a second and holds `burst`. Counted by this node alone. */
export class Buckets {
  readonly #rate: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, Bucket>();
  #forget_above = FORGET_ABOVE;

  constructor({ rate, burst }: { rate: number; burst: number }) {
    this.#rate = rate;
    this.#burst = burst;
  }

  /** Zero when it was taken; else nothing was, and that many whole seconds later it can be. */
  take(key: string, amount = 1, now = performance.now()): number {
    const wait = this.wait(key, amount, now);
    if (wait > 0) return wait;
    const bucket = this.#buckets.get(key) ?? this.#add(key, now);
    bucket.left -= amount;
    return 0;
  }

  /** The same without taking any. */
  wait(key: string, amount = 1, now = performance.now()): number {
    const bucket = this.#buckets.get(key);
    if (bucket) this.#fill(bucket, now);
    const left = bucket?.left ?? this.#burst;
    return left >= amount ? 0 : Math.max(1, Math.ceil((amount - left) / this.#rate));
  }

  /** As if nothing had been taken. */
  refill(key: string): void {
    this.#buckets.delete(key);
  }

  #fill(bucket: Bucket, now: number): void {
    bucket.left = Math.min(this.#burst, bucket.left + ((now - bucket.at) / 1000) * this.#rate);
    bucket.at = now;
  }

  #add(key: string, at: number): Bucket {
    if (this.#buckets.size >= this.#forget_above) this.#forget(at);
    const bucket = { left: this.#burst, at };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** A bucket that has had the time to fill is the same as none. */
  #forget(now: number): void {
    const full_after = (this.#burst / this.#rate) * 1000;
    for (const [key, { at }] of this.#buckets) if (now - at >= full_after) this.#buckets.delete(key);
    this.#forget_above = Math.max(FORGET_ABOVE, this.#buckets.size * 2);
  }
}
