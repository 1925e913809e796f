import fc from "fast-check";
import { expect, test } from "vitest";
import { parseWhen, presets } from "./when.ts";

/** A Wednesday, 10:00, wherever the reader is. */
const now = new Date(2026, 10, 18, 10).getTime();
const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();

test("times are read as people write them", () => {
  expect(parseWhen("30m", now)).toBe(now + 30 * 60_000);
  expect(parseWhen("in 2 hours", now)).toBe(now + 2 * 3_600_000);
  expect(parseWhen(" 3D ", now)).toBe(now + 3 * 86_400_000);
  expect(parseWhen("17:30", now)).toBe(at(18, 17, 30));
  expect(parseWhen("9:00", now)).toBe(at(19, 9));
  expect(parseWhen("tomorrow", now)).toBe(at(19, 9));
  expect(parseWhen("tomorrow at 14", now)).toBe(at(19, 14));
  expect(parseWhen("fri 8", now)).toBe(at(20, 8));
  expect(parseWhen("wednesday", now)).toBe(at(25, 9));
  expect(parseWhen("2026-11-20 14:05", now)).toBe(at(20, 14, 5));
});

test("what has passed, and what is no time, is none", () => {
  for (const text of ["", "soon", "0m", "today 9", "2026-11-18", "2026-02-31", "25:00", "12:75", "mo", "-3h"])
    expect(parseWhen(text, now), text).toBeUndefined();
});

test("whatever is typed is a time to come, or none", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z]{0,9} ?\d{0,2}:?\d{0,2}$/)), (text) => {
      const time = parseWhen(text, now);
      expect(time === undefined || time > now).toBe(true);
    }),
  );
});

test("presets are all to come, at any time of any day", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * 24 * 60 }), (minutes) => {
      const then = now + minutes * 60_000;
      expect(presets(then).every((preset) => preset.at > then)).toBe(true);
    }),
  );
  expect(presets(at(18, 20)).map(({ words }) => words)).not.toContain("This evening");
  expect(presets(now).find(({ words }) => words === "Next Monday")?.at).toBe(at(23, 9));
});
