export interface Round {
  count: number;
  workers: number;
}

/** A second, done by so many side by side, each one after another; `one` is told which of them it is. */
export async function rateOf(
  { count, workers }: Round,
  one: (at: number) => Promise<unknown> | unknown,
): Promise<number> {
  globalThis.gc?.();
  let left = count;
  const each = async (_: unknown, at: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await one(at);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: workers }, each));
  return count / ((performance.now() - started) / 1000);
}
