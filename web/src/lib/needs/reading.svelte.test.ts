import { expect, test } from "vitest";
import type { Answers } from "./answers.ts";
import type { Need } from "./needs.svelte.ts";
import { Reading } from "./reading.svelte.ts";

type Whole = Awaited<ReturnType<Answers["whole"]>>;

const BEFORE = "runtime_exec of runtime, with:\n\n";
const GIVEN = "{\n[… approval_get shows all of it …]";
const CUT = `${BEFORE}${GIVEN}\n\nYou decide.`;
const arguments_at = { from: BEFORE.length, to: BEFORE.length + GIVEN.length };
const need = (more: Partial<Need> = {}): Need =>
  ({
    id: "1",
    tool: "approval_decide",
    title: "May it?",
    text: CUT,
    arguments_at,
    digest: "a",
    ...more,
  }) as unknown as Need;

/** A hub that answers, in its turn, what it is told to. */
function answering(...answers: (Whole | Error)[]): Pick<Answers, "whole"> {
  return {
    whole: () => {
      const answer = answers.shift();
      return answer instanceof Error || !answer ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}

test("a call whose arguments could not be read says so, and is approved only once they were read and seen", async () => {
  const asked = need();
  const reading = new Reading(
    () => asked,
    answering(new Error("The hub is away."), { text: "{}", shown: "{}", edit: undefined }),
  );
  const see = (): void => {
    reading.seen_title = asked.title;
    reading.seen_text = reading.text;
  };
  await reading.read();
  see();
  expect(reading.problem).toBeDefined();
  expect(reading.seen).toBe(false);

  await reading.read();
  expect(reading.problem).toBeUndefined();
  expect(reading.seen).toBe(false);
  see();
  expect(reading.text).toBe(`${BEFORE}{}\n\nYou decide.`);
  expect(reading.parts).toEqual({ before: BEFORE, given: "{}", after: "\n\nYou decide." });
  expect(reading.seen).toBe(true);
});

test("what was read for one call is not shown for another that took its place", async () => {
  let asked = $state.raw(need());
  const later = Promise.withResolvers<Whole>();
  const reading = new Reading(() => asked, { whole: () => later.promise });
  const first = reading.read();
  asked = need({ digest: "b" });
  later.resolve({ text: "", shown: '{"of": "the first"}', edit: undefined });
  await first;
  expect(reading.text).toBe(CUT);
});

test("of a call that a card has room for, and that is no edit, nothing more is read", () => {
  const reading = new Reading(() => need({ text: 'runtime_exec of runtime, with:\n\n{"cmd": ["date"]}' }), answering());
  expect(reading.read_for).toBeNull();
});
