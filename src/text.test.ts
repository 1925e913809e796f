import fc from "fast-check";
import { expect, test } from "vitest";
import { checkText, cut } from "./text.ts";

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

test("what both databases store alike is taken, at any place", () => {
  const fine = [
    "",
    "text",
    "\u{1f642}",
    "\ufffd",
    "\u0001",
    1,
    null,
    undefined,
    true,
    { a: ["b", { c: "d" }] },
    nested(32),
  ];
  for (const value of fine) expect(() => checkText(value)).not.toThrow();
});

test("NUL and lone surrogates are refused and where they are is told", () => {
  const bad: [unknown, string][] = [
    ["\0", "The text contains the character NUL."],
    ["a\ud83d", "The text contains half of a surrogate pair."],
    [{ content: "\0" }, '"content" contains the character NUL.'],
    [{ list: ["a", { deep: "\udc00" }] }, '"list.1.deep" contains half of a surrogate pair.'],
    [{ "bad\0key": 1 }, '"bad\\u0000key" contains the character NUL.'],
    [{ "bad\ud83dkey": 1 }, '"bad\\ud83dkey" contains half of a surrogate pair.'],
    [["\0"], '"0" contains the character NUL.'],
  ];
  for (const [value, message] of bad)
    expect(() => checkText(value)).toThrow(expect.objectContaining({ code: "INVALID_TEXT", message }));
});

test("what is nested too deep is refused before it can end the process", () => {
  let bottomless: unknown = "x";
  for (let n = 0; n < 100_000; n++) bottomless = n % 2 ? [bottomless] : { a: bottomless };
  for (const value of [nested(33), bottomless]) expect(() => checkText(value)).toThrow("deeper than 32 levels");
});

test("where it is is told in a few words, however long the names are", () => {
  const value = { ["k".repeat(100_000)]: { ["l".repeat(100_000)]: "\0" } };
  expect(() => checkText(value)).toThrow(/^"k{40}….l{40}…" contains the character NUL\.$/);
});

test("a text is cut between characters, never inside one", () => {
  expect(cut("short", 5)).toBe("short");
  expect(cut("longer", 5)).toBe("longe…");
  expect(cut("ab🙂cd", 3)).toBe("ab…");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, length) => {
      const short = cut(text, length);
      expect(short.isWellFormed()).toBe(true);
      expect(short.length).toBeLessThanOrEqual(Math.max(length + 1, 0));
    }),
  );
});
