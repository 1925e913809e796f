import { expect, test } from "vitest";
import { diff } from "./diff.ts";

test("a change shows what goes, what comes and what stands around it", () => {
  const before = ["{", '  "a": 1,', '  "b": 2,', '  "c": 3,', '  "d": 4,', '  "e": 5', "}", ""].join("\n");
  expect(diff(before, before.replace('"c": 3', '"c": 30'))).toBe(
    ['    "a": 1,', '    "b": 2,', '-   "c": 3,', '+   "c": 30,', '    "d": 4,', '    "e": 5'].join("\n"),
  );
  expect(diff(before, before)).toBe("");
  expect(diff("", "x\ny\n")).toBe("+ x\n+ y");
});

test("between two changes far apart it says that something is left out", () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const after = lines.with(0, "first").with(19, "last");
  expect(diff(lines.join("\n"), after.join("\n"))).toContain("\n  …\n");
});
