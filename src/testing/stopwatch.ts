import { onTestFinished, vi } from "vitest";

/**
 * Stops what time spans are measured with, until the end of the test: buckets fill, sessions grow idle and readers
 * stall when `pass` says so, and not because the machine is slow. Timers go on as ever.
 */
export function stopTime(): { pass(ms: number): void } {
  let now = performance.now();
  const stopped = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => stopped.mockRestore());
  return {
    pass: (ms) => {
      now += ms;
    },
  };
}
