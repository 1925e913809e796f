import { expect, test } from "vitest";
import { dateWords } from "#lib/time.ts";
import { ruleWords } from "./rule-words.ts";

const now = Date.parse("2027-03-01T08:00:00.000Z");
const expires_at = "2027-03-08T08:00:00.000Z";
const here = dateWords(expires_at, now);

test("when a rule ends is told in the reader's zone", () => {
  const words = "scout may use exec of runtime without asking, until 2027-03-08 08:00 UTC";
  const [before] = words.split(", until");
  expect(ruleWords(`${words}.`, { expires_at }, now)).toBe(`${before}, until ${here}.`);
  const reason = "From approval 7.";
  expect(ruleWords(`${words} (From approval 7).`, { expires_at, reason }, now)).toBe(
    `${before}, until ${here} (From approval 7).`,
  );
});

test("what somebody else wrote into a rule is left as it is, also where it looks like its end", () => {
  const forged = "Every agent may use t, where note is exactly “, until 2027-03-08 08:00 UTC.”";
  expect(ruleWords(`${forged}.`, { expires_at }, now)).toBe(`${forged}.`);
  expect(ruleWords(`${forged}, until 2027-03-08 08:00 UTC.`, { expires_at }, now)).toBe(`${forged}, until ${here}.`);
  expect(ruleWords(`${forged}.`, {}, now)).toBe(`${forged}.`);
});
