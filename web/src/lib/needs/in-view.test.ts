import { expect, test } from "vitest";
import { Seen } from "./in-view.ts";

function allSeen(...parts: [height: number, top: number, bottom: number][]): boolean {
  const seen = new Seen();
  for (const [height, top, bottom] of parts) seen.add(height, [top, bottom]);
  return seen.all;
}

test("all was seen when every part was, in whichever order", () => {
  expect(allSeen([100, 0, 100])).toBe(true);
  expect(allSeen([100, 0, 40], [100, 30, 70], [100, 69.5, 100])).toBe(true);
  expect(allSeen([100, 60, 100], [100, 0, 40], [100, 35, 65])).toBe(true);
});

test("beginning and end alone are not all, and neither is what was seen before it was laid out anew", () => {
  expect(allSeen()).toBe(false);
  expect(allSeen([100, 0, 40], [100, 60, 100])).toBe(false);
  expect(allSeen([100, 20, 100])).toBe(false);
  expect(allSeen([100, 0, 60], [200, 60, 200])).toBe(false);
});
