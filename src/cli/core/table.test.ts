import { expect, test } from "vitest";
import { fitted, table } from "./table.ts";

const wide = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

test("a table is as wide as what is in it where nothing has to fit", () => {
  expect(
    table([
      ["id", "name"],
      ["1", "a".repeat(200)],
    ]),
  ).toBe(`id  name\n1   ${"a".repeat(200)}`);
});

test("a table fits the terminal, and the widest column gives way", () => {
  const shown = table([["t_1234567890", "short", "x".repeat(100)]], 40);
  expect(wide(shown)).toBe(40);
  expect(shown).toContain("short");
  expect(shown.endsWith("…")).toBe(true);
});

test("several wide columns share what there is", () => {
  const shown = table([["id", "a".repeat(60), "b".repeat(80)]], 62);
  expect(wide(shown)).toBeLessThanOrEqual(62);
  expect(shown).toMatch(/a{25,}… {2}b{25,}…/);
});

test("what the last columns left is given back to those that stay", () => {
  const row = ["scout", "lifecycle", "run phase", "x".repeat(20), "y".repeat(20), "z".repeat(20)];
  expect(table([row], 44)).toBe(`scout  lifecycle  run phase  ${"x".repeat(14)}…`);
});

test("what names a row is never cut", () => {
  const id = "t_1234567890abcdef";
  expect(table([[id, "x".repeat(50)]], 12)).toContain(id);
});

test("text of two columns a character is measured as the terminal draws it", () => {
  expect(fitted("漢字漢字", 5)).toBe("漢字…");
  expect(fitted("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 5)).toBe("👩‍👩‍👧‍👦👩‍👩‍👧‍👦…");
});
