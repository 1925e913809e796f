import { expect, test } from "vitest";
import { waitWords } from "./words.ts";

const NOW = Date.parse("2027-03-01T09:00:00Z");
const AT = "2027-03-01T08:00:00Z";
const WAITS = { registered_at: AT, offered_at: null, consumed_at: null, given_up: false };

test("of one that no run could tell of an end the page does not say that it is being told", () => {
  expect(waitWords(WAITS, NOW)).toMatch(/^since /);
  expect(waitWords({ ...WAITS, offered_at: AT }, NOW)).toMatch(/^is being told since /);
  expect(waitWords({ ...WAITS, offered_at: AT, given_up: true }, NOW)).toBe("could not be told.");
  expect(waitWords({ ...WAITS, offered_at: AT, consumed_at: AT }, NOW)).toMatch(/^was told /);
});
