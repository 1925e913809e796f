import { afterEach, describe, expect, test } from "vitest";
import { spokenTime, wallTime } from "./times.ts";

const ZONE = process.env.TZ;
afterEach(() => {
  if (ZONE === undefined) delete process.env.TZ;
  else process.env.TZ = ZONE;
});

const now = Date.parse("2026-11-16T12:00:00Z");

describe("a time near now is told by how far away it is", () => {
  test.each([
    ["2026-11-16T11:59:30Z", "just now"],
    ["2026-11-16T12:00:30Z", "in 30 s"],
    ["2026-11-16T11:55:00Z", "5 min ago"],
    ["2026-11-16T09:00:00Z", "3 h ago"],
    ["2026-11-16T14:30:00Z", "in 2 h 30 min"],
    ["2026-11-16T13:59:59Z", "in 2 h"],
    ["2026-11-16T12:59:59Z", "in 1 h"],
    ["2026-11-16T12:09:59Z", "in 10 min"],
    ["2026-11-16T11:54:01Z", "5 min ago"],
  ])("%s is %s", (iso, told) => expect(spokenTime(iso, now)).toBe(told));
});

describe("a time farther away is told by the reader's own clock", () => {
  test.each([
    ["UTC", "2026-11-15T09:15:00Z", "yesterday 09:15"],
    ["UTC", "2026-11-17T09:15:00Z", "tomorrow 09:15"],
    ["UTC", "2026-11-12T09:15:00Z", "Nov 12 09:15"],
    ["UTC", "2024-02-29T23:05:00Z", "Feb 29 2024 23:05"],
    ["Asia/Tokyo", "2026-11-14T20:15:00Z", "yesterday 05:15"],
    ["America/New_York", "2026-11-12T03:15:00Z", "Nov 11 22:15"],
  ])("in %s %s is %s", (zone, iso, told) => {
    process.env.TZ = zone;
    expect(spokenTime(iso, now)).toBe(told);
  });

  test("the night of a clock change counts as one day", () => {
    process.env.TZ = "Europe/Berlin";
    expect(wallTime("2026-10-24T10:00:00Z", Date.parse("2026-10-25T12:00:00Z"))).toBe("yesterday 12:00");
  });

  test("what stays on the screen is told by the clock even when it is near", () => {
    process.env.TZ = "UTC";
    expect(wallTime("2026-11-16T11:59:30Z", now)).toBe("11:59");
  });

  test("what is no time is left as it is", () => {
    expect(spokenTime("soon", now)).toBe("soon");
    expect(wallTime("soon", now)).toBe("soon");
  });
});
