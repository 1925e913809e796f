/**
 * Where each row of a long list lies. Rows that were never drawn are taken to be as high as the
 * average of those that were; the place of each is a sum, made anew when something changed.
 */
export class Geometry {
  readonly #heights = new Map<string, number>();
  #keys: readonly string[] = [];
  #indexes = new Map<string, number>();
  #tops = new Float64Array(1);
  #sum = 0;
  #stale = true;

  set keys(keys: readonly string[]) {
    this.#keys = keys;
    this.#indexes = new Map(keys.map((key, index) => [key, index]));
    this.#stale = true;
  }

  get count(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.#placed()[this.#keys.length] ?? 0;
  }

  /** False when it was known to be so high already. */
  measure(key: string, height: number): boolean {
    const known = this.#heights.get(key);
    if (known === height || height === 0) return false;
    this.#heights.set(key, height);
    this.#sum += height - (known ?? 0);
    this.#stale = true;
    return true;
  }

  top(index: number): number {
    return this.#placed()[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  indexOf(key: string): number {
    return this.#indexes.get(key) ?? -1;
  }

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  /** The row that lies at that distance from the top. */
  at(offset: number): number {
    const tops = this.#placed();
    let low = 0;
    let high = this.#keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tops[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #placed(): Float64Array {
    if (!this.#stale) return this.#tops;
    const guess = this.#heights.size > 0 ? this.#sum / this.#heights.size : 64;
    const tops = new Float64Array(this.#keys.length + 1);
    this.#keys.forEach((key, index) => {
      tops[index + 1] = (tops[index] ?? 0) + (this.#heights.get(key) ?? guess);
    });
    this.#tops = tops;
    this.#stale = false;
    return tops;
  }
}
