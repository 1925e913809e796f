import { expect, test } from "vitest";
import { Arrivals } from "./arrivals.svelte.ts";

test("what comes is new only while somebody looks elsewhere, and no longer once they came to see", () => {
  const arrivals = new Arrivals();
  arrivals.take(3);
  arrivals.take(4);
  expect(arrivals.isNew(4)).toBe(false);
  arrivals.scrolled(500, 4);
  arrivals.take(6);
  expect([4, 5, 6].filter((position) => arrivals.isNew(position))).toEqual([5, 6]);
  arrivals.scrolled(0, 6);
  expect([5, 6].some((position) => arrivals.isNew(position))).toBe(false);
});

test("what a list begins with is not new, wherever one is in it", () => {
  const arrivals = new Arrivals();
  arrivals.scrolled(500, 9);
  expect(arrivals.isNew(9)).toBe(false);
  arrivals.reset();
  arrivals.scrolled(500, 20);
  expect(arrivals.isNew(20)).toBe(false);
});
