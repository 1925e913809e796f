import fc from "fast-check";
import { expect, test } from "vitest";
import { ago, dayName, isSameDay } from "./time.ts";

const MINUTE_MS = 60_000;
/** Noon, wherever the reader is. */
const now = new Date(2026, 2, 18, 12).getTime();
const before = (ms: number): string => new Date(now - ms).toISOString();

test("a list says how long ago in as few letters as do", () => {
  expect(ago(before(0), now)).toBe("now");
  expect(ago(before(59_999), now)).toBe("now");
  expect(ago(before(MINUTE_MS), now)).toBe("1 min");
  expect(ago(before(59 * MINUTE_MS), now)).toBe("59 min");
  expect(ago(before(20 * 60 * MINUTE_MS), now)).toBe("Yesterday");
  expect(ago(before(3 * 60 * MINUTE_MS), now)).toMatch(/\d/);
});

test("what the hub's clock has yet to come to is now, not in minutes below zero", () => {
  expect(ago(before(-5 * MINUTE_MS), now)).toBe("now");
});

test("a day is today, yesterday, or has a name; further back it has its year too", () => {
  expect(dayName(before(11 * 60 * MINUTE_MS), now)).toBe("Today");
  expect(dayName(before(13 * 60 * MINUTE_MS), now)).toBe("Yesterday");
  expect(dayName(before(400 * 24 * 60 * MINUTE_MS), now)).toContain("2025");
});

test("a day has the same name from its first to its last moment, also where the clock is changed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 364 }), (day) => {
      const first = new Date(2026, 0, 1 + day);
      const last = new Date(new Date(2026, 0, 2 + day).getTime() - 1);
      expect(isSameDay(first.toISOString(), last.toISOString())).toBe(true);
      expect(dayName(first.toISOString(), last.getTime())).toBe("Today");
      expect(dayName(first.toISOString(), last.getTime() + 1)).toBe("Yesterday");
    }),
  );
});
