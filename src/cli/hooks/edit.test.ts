import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { append, remove } from "./edit.ts";
import { contentOf, parseJsonText } from "./json-text.ts";

const read = (text: string): unknown => {
  const node = parseJsonText(text);
  return node && contentOf(node);
};

const outcome = (work: () => unknown): unknown => {
  try {
    return { value: work() };
  } catch {
    return "refused";
  }
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

  test("are read exactly where JSON.parse reads them", () => {
    const near = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom(",", "/", "*", "//", "/* x */", "}", "]", '"', "0", "\u00a0", "\n", ""),
      )
      .map(
        ([json, at, added]) => `${json.slice(0, at % (json.length + 1))}${added}${json.slice(at % (json.length + 1))}`,
      );
    fc.assert(
      fc.property(near, (text) => {
        fc.pre(text.trim() !== "");
        expect(outcome(() => read(text))).toEqual(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  test("may begin with a byte order mark, and be blank", () => {
    expect(read('\ufeff{"a": 1}')).toEqual({ a: 1 });
    expect(read(" \n\t ")).toBeUndefined();
  });

  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma or a } is missing"],
    ['{ "a": [1, 2 }', "line 1, column 14: a comma or a ] is missing"],
    ["{ a: 1 }", "line 1, column 3: a name in double quotes is missing"],
    ['{ "a" 1 }', "line 1, column 7: a colon is missing"],
    ['{ "a": "b\n', "line 1, column 8: a value is missing or broken off"],
    ['{ "a": 01 }', "line 1, column 8: this is no JSON value"],
    ["{} {}", "line 1, column 4: something follows the end"],
    ["{ /* x */ }", "line 1, column 3: JSON has no comments"],
    ['{\n  "a": 1 // one\n}', "line 2, column 10: JSON has no comments"],
    ['{\n  "a": [1, 2,],\n}', "line 2, column 14: after a comma there is no ] in JSON"],
    ['{ "a": 1, }', "line 1, column 11: after a comma there is no } in JSON"],
    ["[".repeat(200), "line 1, column 102: it is nested too deep"],
  ])("that are broken are refused with the place: %j", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

const TEXTS = [
  '{\n  "list": []\n}\n',
  '{\n  "list": [\n    1\n  ]\n}\n',
  '{\n\t"list": [\n\t\t1,\n\t\t2\n\t],\n\t"z": null\n}',
  '{"list":[1,{"a":[]}],"z":1}',
  '{"list":[]}',
  '{\r\n    "list": [\r\n        "x"\r\n    ]\r\n}\r\n',
  '{\n  "list": [ 1, 2 ]\n}\n',
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
    expect(append('{\r\n\t"a": 1\r\n}\r\n', [], { b: [2] }, "x")).toBe(
      '{\r\n\t"a": 1,\r\n\t"x": {\r\n\t\t"b": [\r\n\t\t\t2\r\n\t\t]\r\n\t}\r\n}\r\n',
    );
    expect(append("{}", [], 1, "x")).toBe('{\n  "x": 1\n}');
    expect(append('{"a":1}', [], [1], "x")).toBe('{"a":1,"x":[1]}');
  });

  test("loses only the item that was meant, wherever it stands", () => {
    const lists = fc.array(fc.integer(), { minLength: 1, maxLength: 5 });
    const gaps = fc.array(fc.constantFrom("", " ", "\n  ", "\r\n\t"), { minLength: 12 });
    fc.assert(
      fc.property(lists, gaps, fc.nat(4), (list, gap, chosen) => {
        const at = chosen % list.length;
        const items = list.map((item, index) => `${gap[index * 2]}${item}${gap[index * 2 + 1]}`).join(",");
        const text = `{"list":[${items}${gap[11]}]}`;
        expect(read(remove(text, ["list", at]))).toEqual({ list: list.toSpliced(at, 1) });
        expect(read(append(text, ["list"], 99))).toEqual({ list: [...list, 99] });
      }),
      { numRuns: 500 },
    );
  });
});
