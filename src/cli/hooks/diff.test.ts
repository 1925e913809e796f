import fc from "fast-check";
import { expect, test } from "vitest";
import { diff } from "./diff.ts";

test("a change shows what goes, what comes and what stands around it", () => {
  const before = ["{", '  "a": 1,', '  "b": 2,', '  "c": 3,', '  "d": 4,', '  "e": 5', "}"].join("\n");
  expect(diff(before, before.replace('"c": 3', '"c": 30'))).toBe(
    ['    "a": 1,', '    "b": 2,', '-   "c": 3,', '+   "c": 30,', '    "d": 4,', '    "e": 5', "  …"].join("\n"),
  );
  expect(diff(before, before)).toBe("");
  expect(diff("", "x\ny")).toBe("+ x\n+ y");
});

test("whatever changes, the lines that go and stay make the old text, those that come and stay the new one", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diff(before.join("\n"), after.join("\n")).split("\n");
      // With at most five lines and two around each change, nothing is left out where anything changed in the middle.
      fc.pre(before.join() !== after.join() && !lines.includes("  …"));
      const of = (mark: string) =>
        lines.filter((line) => line[0] === mark || line[0] === " ").map((line) => line.slice(2));
      expect(before.join("\n")).toContain(of("-").join("\n"));
      expect(after.join("\n")).toContain(of("+").join("\n"));
    }),
  );
});
