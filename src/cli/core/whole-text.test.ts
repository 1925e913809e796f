import { expect, test } from "vitest";
import { wholeText } from "./whole-text.ts";

test("no emptiness pushes the end of a text out of sight", () => {
  expect(wholeText(`ls${"\n".repeat(91)}; rm -rf /`)).toEqual(["  ls", "  ⋮ 90 empty lines", "  ; rm -rf /"]);
  expect(wholeText(`ls${" \t\n".repeat(9)}x`)).toEqual(["  ls \t", "  ⋮ 8 empty lines", "  x"]);
  expect(wholeText(`ls${" ".repeat(5000)}; rm`)).toEqual(["  ls ⋯ 5000 spaces ⋯ ; rm"]);
  expect(wholeText("a\n\n\nb")).toEqual(["  a", "  ", "  ", "  b"]);
  expect(wholeText(" \n")).toEqual([]);
  expect(wholeText("a\u202eb").join()).not.toContain("\u202e");
});
