import fc from "fast-check";
import { expect, test } from "vitest";
import { parseQuery, without } from "./query.ts";

test("operators become conditions, and the rest stays words and phrases", () => {
  expect(parseQuery('from:scout to:mason is:unread in:archived after:7d red "nightly build"')).toEqual({
    input: { from: "scout", to: "mason", unread: true, folder: "archived", after: "7d", query: 'red "nightly build"' },
    problems: [],
    operators: ["from:scout", "to:mason", "is:unread", "in:archived", "after:7d"],
    words: ["red", '"nightly build"'],
  });
});

test("a day begins where the reader is", () => {
  expect(parseQuery("before:2026-11-01").input).toEqual({ until: new Date(2026, 10, 1).toISOString() });
});

test("what an operator does not know is said and not guessed", () => {
  const { input, problems } = parseQuery(
    "in:nowhere is:red from:<b> before:2026-02-31 after:later to:sc/out has:approval",
  );
  expect(input).toEqual({});
  expect(problems).toHaveLength(7);
});

test("a colon in a word, a quoted operator and an empty one are words", () => {
  expect(parseQuery('12:30 "from:scout" from:').input).toEqual({ query: '12:30 "from:scout" from:' });
});

test("an operator, a word or a phrase is taken away alone", () => {
  expect(without("red from:scout  build", "from:scout")).toBe("red build");
  expect(without('red "from:scout now" build red', "red")).toBe('"from:scout now" build');
  expect(without('red "nightly build"', '"nightly build"')).toBe("red");
});

test("no word is lost: each is looked for, or is an operator", () => {
  const letters = (text: string): string => [...text.replaceAll(/\s/g, "")].sort().join("");
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^((from|to|is|in|x):?[a-z]{0,3} ?){0,5}$/)), (text) => {
      const { input, operators } = parseQuery(text);
      expect(letters(operators.join("") + (input.query ?? ""))).toBe(letters(text));
    }),
  );
});
