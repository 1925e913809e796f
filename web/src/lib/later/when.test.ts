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

/** Where the clocks go forward and back, and where they never do. */
const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];
const inZone = <T>(zone: string, work: () => T): T => {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    return work();
  } finally {
    // Node takes the text "undefined" for a zone of that name.
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
};
const clockOf = (ms: number): string => new Date(ms).toString().slice(0, 21);

test.each(ZONES)(
  "in %s a preset is at its time of day on its day, on every day of the year and at every hour",
  (zone) => {
    const wrong = inZone(zone, () =>
      Array.from({ length: 366 * 24 }, (_, hour) => new Date(2026, 0, 1, 0, 20).getTime() + hour * 3_600_000)
        .flatMap((then) => presets(then).map((preset) => ({ ...preset, then })))
        .filter(({ words, at, then }) => !isRight(words, new Date(at), new Date(then)))
        .map(({ words, at, then }) => [words, clockOf(at), clockOf(then)]),
    );
    expect(wrong).toEqual([]);
  },
);

function isRight(words: string, date: Date, then: Date): boolean {
  const isOn = (days: number): boolean =>
    date.toDateString() === new Date(then.getFullYear(), then.getMonth(), then.getDate() + days, 12).toDateString();
  const isAt = (hour: number): boolean => date > then && date.getHours() === hour && date.getMinutes() === 0;
  switch (words) {
    case "In an hour":
      return date.getTime() - then.getTime() === 3_600_000;
    case "This morning":
      return isAt(9) && isOn(0);
    case "This evening":
      return isAt(18) && isOn(0);
    case "Tomorrow morning":
      return isAt(9) && isOn(1);
    default:
      return isAt(9) && date.getDay() === 1 && !isOn(1);
  }
}

test("a day from now is the same time of the next day where the clocks change in between, an hour is an hour", () => {
  inZone("Europe/Berlin", () => {
    const evening = new Date(2026, 2, 28, 21, 30).getTime();
    expect(clockOf(parseWhen("1d", evening) ?? 0)).toBe("Sun Mar 29 2026 21:30");
    expect(clockOf(parseWhen("2w", evening) ?? 0)).toBe("Sat Apr 11 2026 21:30");
    expect(parseWhen("24h", evening)).toBe(evening + 24 * 3_600_000);
    expect(clockOf(parseWhen("tomorrow 9", evening) ?? 0)).toBe("Sun Mar 29 2026 09:00");
    // An hour that this night does not have.
    expect(clockOf(parseWhen("2:30", evening) ?? 0)).toBe("Sun Mar 29 2026 03:30");
  });
});

test("shortly after midnight the morning that is meant is the next one, and it is offered by its name", () => {
  const night = at(18, 0, 10);
  expect(presets(night).find(({ words }) => words === "This morning")?.at).toBe(at(18, 9));
  expect(presets(now).map(({ words }) => words)).not.toContain("This morning");
  expect(presets(at(22, 12)).map(({ words }) => words)).toEqual(["In an hour", "This evening", "Tomorrow morning"]);
});
