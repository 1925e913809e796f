import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffLine, linesOf } from "./diff-lines.ts";

const HEAD = "--- v1\n+++ v2\n";
const textOf = ({ pieces }: DiffLine): string => pieces.map(({ text }) => text).join("");
const plainly = (diff: string) => linesOf(diff).map((line) => [line.kind, textOf(line)]);
const changedIn = ({ pieces }: DiffLine): string[] => pieces.filter(({ changed }) => changed).map(({ text }) => text);

test("a difference is shown line by line, without its head", () => {
  const diff = `${HEAD}@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n\\ No newline at end of file\n`;
  expect(plainly(diff)).toEqual([
    ["place", "line 1"],
    ["same", "one"],
    ["removed", "two"],
    ["added", "zwei"],
    ["same", "three"],
  ]);
});

test("lines that look like its head are lines of the text", () => {
  expect(plainly(`${HEAD}@@ -1 +1 @@\n--- a rule\n+++ more`)).toEqual([
    ["place", "line 1"],
    ["removed", "-- a rule"],
    ["added", "++ more"],
  ]);
});

test("without a difference there is nothing to show", () => {
  expect(linesOf("")).toEqual([]);
});

test("in a line that took the place of another, the words that are other ones are known", () => {
  const [, removed, added] = linesOf(`${HEAD}@@ -1 +1 @@\n-It costs ten crowns a month.\n+It costs ten euros a month.`);
  expect([removed, added].map((line) => line && changedIn(line))).toEqual([["crowns"], ["euros"]]);
});

test("lines that have nothing in common, or of which there are more than before, are marked as a whole", () => {
  for (const lines of ["-one\n+zwei", "-one two\n+one zwei\n+three"])
    expect(linesOf(`${HEAD}@@ -1 +1 @@\n${lines}`).flatMap(changedIn)).toEqual([]);
});

test("whatever is marked in it, a line is shown as it is", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "\t", "é") });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), fc.array(line, { maxLength: 4 }), (before, after) => {
      const shown = [...before.map((text) => `-${text}`), ...after.map((text) => `+${text}`)];
      const [, ...lines] = linesOf(`@@ -1 +1 @@\n${shown.join("\n")}`);
      expect(lines.map(textOf)).toEqual([...before, ...after]);
    }),
  );
});
