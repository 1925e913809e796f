import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { append, remove } from "./edit.ts";
import { contentOf, parseJsonc } from "./jsonc.ts";

const read = (text: string): unknown => {
  const node = parseJsonc(text);
  return node && contentOf(node);
};

describe("settings read as text", () => {
  test("say what JSON says, for all of JSON", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, "\t"), (json, space) => {
        const value = JSON.parse(json);
        expect(read(JSON.stringify(value, null, space))).toEqual(value);
      }),
    );
  });

  test("may have comments and trailing commas", () => {
    const text = '\ufeff// mine\n{ "a": 1, /* b // */ "b": ["x//y", "/* no */",], } // end';
    expect(read(text)).toEqual({ a: 1, b: ["x//y", "/* no */"] });
    expect(read("  // nothing\n/* at all */ ")).toBeUndefined();
  });

  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma or a } is missing"],
    ['{ "a": [1, 2 }', "line 1, column 14: a comma or a ] is missing"],
    ["{ a: 1 }", "line 1, column 3: a name in double quotes is missing"],
    ['{ "a" 1 }', "line 1, column 7: a colon is missing"],
    ['{ "a": "b\n', "line 1, column 8: a value is missing or broken off"],
    ['{ "a": 01 }', "line 1, column 8: this is no JSON value"],
    ["{} {}", "line 1, column 4: something follows the end"],
    ["{ /* x", "line 1, column 3: a comment is not closed"],
    ["[".repeat(200), "line 1, column 102: it is nested too deep"],
  ])("that are broken are refused with the place: %j", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

const TEXTS = [
  '{\n  "list": []\n}\n',
  '{\n  "list": [\n    1\n  ]\n}\n',
  '{\n  "list": [\n    1, // one\n    2 // two\n  ] // all\n}\n',
  '{\n\t"list": [\n\t\t1,\n\t\t2, /* two */\n\t],\n\t"z": null\n}',
  '{"list":[1,{"a":[]}],"z":1}',
  '{"list":[]}',
  '{\r\n    "list": [\r\n        "x"\r\n    ]\r\n}\r\n',
  '{\n  "list": [ 1, 2 ]\n}\n',
  '{\n  "list": [\n    // none yet\n  ]\n}\n',
  '{\n  "list": [ // none yet\n    1 ]\n}\n',
  '{ "list": [] }\n',
];

describe("a text that is changed", () => {
  test.each(TEXTS)("is as it was once what was added is taken away again: %j", (text) => {
    const before = read(text) as { list: unknown[] };
    const added = append(text, ["list"], { ours: ["x", { deep: true }] });
    expect(read(added)).toEqual({ ...before, list: [...before.list, { ours: ["x", { deep: true }] }] });
    expect(remove(added, ["list", before.list.length])).toBe(text);
  });

  test.each(TEXTS)("takes a member, and gives it back: %j", (text) => {
    const added = append(text, [], { a: [1] }, "new");
    expect(read(added)).toEqual({ ...(read(text) as object), new: { a: [1] } });
    expect(remove(added, ["new"])).toBe(text);
  });

  test("keeps its indentation and its line ends", () => {
    expect(append('{\r\n\t"a": 1 // one\r\n}\r\n', [], { b: [2] }, "x")).toBe(
      '{\r\n\t"a": 1, // one\r\n\t"x": {\r\n\t\t"b": [\r\n\t\t\t2\r\n\t\t]\r\n\t}\r\n}\r\n',
    );
    expect(append("{}", [], 1, "x")).toBe('{\n  "x": 1\n}');
    expect(append('{"a":1}', [], [1], "x")).toBe('{"a":1,"x":[1]}');
  });

  test("loses only the item that was meant, wherever it stands", () => {
    const lists = fc.array(fc.integer(), { minLength: 1, maxLength: 5 });
    const gaps = fc.array(fc.constantFrom("", " ", "\n  ", " // c\n", "/* c */", "\n// c\n  "), { minLength: 12 });
    fc.assert(
      fc.property(lists, gaps, fc.nat(4), fc.boolean(), (list, gap, chosen, trailing) => {
        const at = chosen % list.length;
        const items = list.map((item, index) => `${gap[index * 2]}${item}${gap[index * 2 + 1]}`).join(",");
        const text = `{"list":[${items}${trailing ? "," : ""}${gap[11]}]}`;
        expect(read(remove(text, ["list", at]))).toEqual({ list: list.toSpliced(at, 1) });
        expect(read(append(text, ["list"], 99))).toEqual({ list: [...list, 99] });
      }),
      { numRuns: 500 },
    );
  });
});
