import { expect, test } from "vitest";
import { timeOfDay } from "#lib/clock.ts";
import { noteOf, sizeWords, tookWords } from "./words.ts";

const NOW = Date.parse("2027-03-01T09:00:00.000Z");
const LATER = "2027-03-01T09:20:00.000Z";

test("of one that is tried again it is said what went wrong, and when it is tried", () => {
  const queued = { state: "queued", not_before: LATER } as const;
  expect(noteOf({ ...queued, waits_for: "backoff", error: "The program x does not exist." }, NOW)).toBe(
    `The program x does not exist. Tried again ${timeOfDay(LATER)}.`,
  );
  expect(noteOf({ ...queued, waits_for: "quota", error: null }, NOW)).toBe(
    `A quota was met: until ${timeOfDay(LATER)}.`,
  );
  expect(noteOf({ ...queued, state: "failed", waits_for: null, error: "It took too long." }, NOW)).toBe(
    "It took too long.",
  );
  expect(noteOf({ ...queued, state: "done", waits_for: null, error: null }, NOW)).toBe("");
});

test("how long it ran counts until now where it is not over, and how much it printed is said as short as does", () => {
  const started_at = "2027-03-01T08:59:18.000Z";
  expect(tookWords({ started_at, ended_at: null }, NOW)).toBe("42 s");
  expect(tookWords({ started_at, ended_at: "2027-03-01T08:59:19.000Z" }, NOW)).toBe("1 s");
  expect(tookWords({ started_at: null, ended_at: null }, NOW)).toBe("");
  expect([999, 65_536, 300_000_010, 4e12].map(sizeWords)).toEqual(["999 bytes", "66 kB", "300 MB", "4000 GB"]);
});
