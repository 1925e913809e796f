import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Hints } from "./hints.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("who waits is told once however much happened, and again when more happens", () => {
  const hints = new Hints(1000);
  const told: string[] = [];
  const [ana, ben] = [() => told.push("ana"), () => told.push("ben")];
  for (const tell of [ana, ben, ana, ana]) hints.later(tell);
  vi.advanceTimersByTime(999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["ana", "ben"]);

  hints.later(ben);
  vi.advanceTimersByTime(1000);
  expect(told).toEqual(["ana", "ben", "ben"]);
  expect(vi.getTimerCount()).toBe(0);
});
