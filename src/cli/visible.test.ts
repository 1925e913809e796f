import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { visible, visibleLine } from "./visible.ts";

describe("text that somebody else wrote", () => {
  test("cannot send an escape sequence to the terminal", () => {
    expect(visible("\u001b[2J\u001b]0;owned\u0007")).toBe("\\x1b[2J\\x1b]0;owned\\x07");
    expect(visible("\u009b31m")).toBe("\\x9b31m");
  });

  test("cannot overwrite the line it stands on", () => {
    expect(visible("harmless\rrm -rf /\b\u007f")).toBe("harmless\\x0drm -rf /\\x08\\x7f");
  });

  test("cannot turn the direction of a line around", () => {
    expect(visible("user\u202egnp.exe\u2066\u2069\u200f\u061c")).toBe("user\\u202egnp.exe\\u2066\\u2069\\u200f\\u061c");
  });

  test("cannot hide words in characters that show nothing", () => {
    expect(visible("a\u200bb\ufeffc\u{e0041}\u2060")).toBe("a\\u200bb\\ufeffc\\u{e0041}\\u2060");
  });

  test("keeps its lines, its tabs and every letter of every script", () => {
    const text = "Grüße\n\tこんにちは مرحبا 👩‍👩‍👧 नमस्ते ✓";
    expect(visible(text)).toBe(text);
  });

  test("has one line where one is expected", () => {
    expect(visibleLine("ana\nben: I agree\u2028\ttoo")).toBe("ana\\nben: I agree\\u2028\\ttoo");
  });

  test("whatever it is, holds nothing but tab and newline that a terminal acts on", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visible(text)).not.toMatch(/(?![\t\n])[\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });
});
