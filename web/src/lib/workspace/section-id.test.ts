import fc from "fast-check";
import { expect, test } from "vitest";
import { idOf } from "./section-id.ts";

test("a title becomes what the section is called by", () => {
  expect(idOf("Market analysis")).toBe("market_analysis");
  expect(idOf("  Überblick: 2026/27!  ")).toBe("überblick_2026_27");
  expect(idOf("…")).toBe("");
});

test("whatever the title, what becomes of it begins with a letter or digit, is short and is written one way", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      const id = idOf(title);
      expect(id === "" || /^[\p{L}\p{N}]/u.test(id)).toBe(true);
      expect([id.length <= 100, id.isWellFormed(), id.normalize("NFC")]).toEqual([true, true, id]);
    }),
  );
});
