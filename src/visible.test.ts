import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { visible, visibleJson, visibleLine } from "./visible.ts";

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
    expect(visible("a\u{e0100}\u{e0154}\u{e01ef}b")).toBe("a\\u{e0100}\\u{e0154}\\u{e01ef}b");
  });

  test("cannot hide words in selectors, fillers and joiners that join nothing", () => {
    expect(visible("a\u{e0101}\u{e01ef}\u3164\u00adb z\ufe0f \u200d 1\ufe0f a\u2800b")).toBe(
      "a\\u{e0101}\\u{e01ef}\\u3164\\xadb z\\ufe0f \\u200d 1\\ufe0f a\\u2800b",
    );
  });

  test("cannot spell out hidden bits with joiners between letters that are never joined", () => {
    expect(visible("p\u200ca\u200ds\u200cs")).toBe("p\\u200ca\\u200ds\\u200cs");
    expect(visible("д\u200dа 漢\u200c字")).toBe("д\\u200dа 漢\\u200c字");
    expect(visibleJson("o\u200dk")).toBe('"o\\u200dk"');
  });

  test("is the same JSON to who parses it, and shows everything to who reads it", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), (value) => {
        const text = visibleJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e0fff}]/u);
      }),
    );
    expect(visibleJson({ a: "\u202eb\u{e0041}" })).toBe('{"a":"\\u202eb\\udb40\\udc41"}');
  });

  test("keeps its lines, its tabs and every letter of every script", () => {
    const text = "Grüße\n\tこんにちは مرحبا 👩‍👩‍👧 नमस्ते ✓ می\u200cخواهم क्\u200dष ❤️ ❤️\u200d🔥 1️⃣";
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
