import { expect, test } from "vitest";
import { readableJson } from "./readable-json.ts";

test("what fits on a line stands on one, and what does not is broken where JSON is", () => {
  expect(readableJson({ cmd: ["git", "push", "--force"] })).toBe('{"cmd": ["git", "push", "--force"]}');
  expect(readableJson({})).toBe("{}");
  expect(readableJson({ cmd: ["git", "log"], path: "a/".repeat(40), deep: { n: 1, none: null } })).toBe(
    `{\n  "cmd": ["git", "log"],\n  "path": "${"a/".repeat(40)}",\n  "deep": {"n": 1, "none": null}\n}`,
  );
});

test("a text of several lines, or with what JSON escapes, is written as it is", () => {
  expect(readableJson({ command: "cat <<'E'\n  \"hi\" \\o/\nE", timeout: 5 })).toBe(
    '{\n  "command":\n  │ cat <<\'E\'\n  │   "hi" \\o/\n  │ E\n  "timeout": 5\n}',
  );
  expect(readableJson({ cmd: ["bash", "-lc", 'echo "hi"'] })).toBe(
    '{\n  "cmd": [\n    "bash",\n    "-lc",\n    │ echo "hi"\n  ]\n}',
  );
});

test("what cannot be seen in a text, or pushes the rest out of sight, stays escaped", () => {
  for (const text of ["a\n\u202eb", "a\rb", `a${"\n".repeat(20)}b`, "a\n \n\t\n \nb"])
    expect(readableJson({ text })).toBe(`{"text": ${JSON.stringify(text)}}`);
});

test("nothing in a text passes for a key beside it", () => {
  const forged = readableJson({ command: 'rm -rf /\n"command": "ls"', safe: true });
  expect(forged.split("\n").filter((line) => !line.startsWith("  │ "))).toEqual([
    "{",
    '  "command":',
    '  "safe": true',
    "}",
  ]);
  // A text that looks like one of ours is quoted where it has nothing that JSON escapes.
  expect(readableJson({ a: "│ x" })).toBe('{"a": "│ x"}');
});
