import { expect, test } from "vitest";
import { costOf, RateLimit } from "./rate-limit.ts";

const taken = (limit: RateLimit, who: string, now: number): number => {
  for (let count = 0; ; count++)
    try {
      limit.take(who, now);
    } catch {
      return count;
    }
};

test("ten seconds' worth of calls may come at once, and then as many a second as the rate says", () => {
  const limit = new RateLimit(5);
  expect(taken(limit, "ana", 0)).toBe(50);
  expect(taken(limit, "ana", 0)).toBe(0);
  expect(taken(limit, "ana", 1000)).toBe(5);
  expect(taken(limit, "ana", 1200)).toBe(1);
  expect(taken(limit, "ana", 3_600_000)).toBe(50);
});

test("each principal has its own", () => {
  const limit = new RateLimit(1);
  expect(taken(limit, "ana", 0)).toBe(10);
  expect(taken(limit, "ben", 0)).toBe(10);
});

test("who is refused is told when to come again, and coming then works", () => {
  const limit = new RateLimit(1);
  taken(limit, "ana", 0);
  let retry_after = 0;
  try {
    limit.take("ana", 0);
  } catch (error) {
    expect(error).toMatchObject({ code: "RATE_LIMITED", status: 429, message: "Too many calls. Try again in 1 s." });
    retry_after = (error as { details: { retry_after: number } }).details.retry_after;
  }
  expect(retry_after).toBe(1);
  expect(() => limit.take("ana", retry_after * 1000)).not.toThrow();
});

test("a clock that stands still or goes back gives nothing away", () => {
  const limit = new RateLimit(1);
  expect(taken(limit, "ana", 10_000)).toBe(10);
  expect(taken(limit, "ana", 0)).toBe(0);
  expect(taken(limit, "ana", 10_000)).toBeLessThanOrEqual(10);
});

test("very many principals do not make it forget one that is being limited", () => {
  const limit = new RateLimit(1);
  taken(limit, "busy", 0);
  for (let n = 0; n < 25_000; n++) limit.take(`p${n}`, 0);
  expect(taken(limit, "busy", 0)).toBe(0);
  for (let n = 0; n < 50_000; n++) limit.take(`q${n}`, 5000);
  expect(taken(limit, "busy", 5000)).toBe(5);
  for (let n = 0; n < 100_000; n++) limit.take(`r${n}`, 10_000);
  expect(taken(limit, "busy", 10_000)).toBe(5);
});

test("what costs more than a call is let through once and has to be waited for, but never for ever", () => {
  const limit = new RateLimit(5);
  limit.take("ana", 0, 60);
  expect(taken(limit, "ana", 0)).toBe(0);
  expect(taken(limit, "ana", 2000)).toBe(0);
  expect(taken(limit, "ana", 3000)).toBe(5);
  const other = new RateLimit(5);
  other.take("ana", 0, 1_000_000);
  expect(taken(other, "ana", 10_000)).toBe(0);
  expect(taken(other, "ana", 11_000)).toBe(5);
  expect([0, 200, 16_383, 16_384, 1_048_576].map(costOf)).toEqual([0, 0, 0, 1, 64]);
});
