import { expect, test } from "vitest";
import { type Edit, editIn, mayBeEdit } from "./edit-in.ts";
import { editLines } from "./edit-lines.ts";

const PATCH = "*** Begin Patch\n*** Update File: a.ts\n@@\n-one\n+two\n same\n*** End Patch";

const shown = (edit: Edit | undefined) =>
  edit &&
  editLines(edit)?.map((lines) => lines.map(({ kind, pieces }) => [kind, pieces.map(({ text }) => text).join("")]));

test("an edit is known by its arguments, of a client's tools as of a server's", () => {
  const pair = { file_path: "a.ts", old_string: "one\nsame", new_string: "two\nsame" };
  const lines = [
    [
      ["removed", "one"],
      ["added", "two"],
      ["same", "same"],
    ],
  ];
  expect(editIn("Edit", pair)).toMatchObject({ path: "a.ts", others: [] });
  expect(shown(editIn("Edit", pair))).toEqual(lines);
  expect(
    shown(editIn("files_edit", { path: "a.ts", edits: [{ oldText: "one\nsame", newText: "two\nsame" }] })),
  ).toEqual(lines);
  expect(shown(editIn("MultiEdit", { file_path: "a.ts", edits: [pair, pair] }))).toHaveLength(2);
  expect(shown(editIn("Write", { file_path: "a.ts", content: "one\n" }))).toEqual([
    [
      ["added", "one"],
      ["added", ""],
    ],
  ]);
});

test("a patch shows every line that it has, also behind its end", () => {
  for (const given of [{ command: PATCH }, { command: ["apply_patch", PATCH] }, { input: PATCH }])
    expect(shown(editIn("apply_patch", given))?.[0]).toEqual([
      ["place", "*** Begin Patch"],
      ["place", "*** Update File: a.ts"],
      ["place", "@@"],
      ["removed", "one"],
      ["added", "two"],
      ["same", "same"],
      ["place", "*** End Patch"],
    ]);
  expect(shown(editIn("Bash", { command: `${PATCH}\nrm -rf /` }))?.[0]?.at(-1)).toEqual(["place", "rm -rf /"]);
});

test("what an edit does not show is named", () => {
  const one = { old_string: "a", new_string: "b" };
  expect(editIn("Edit", { ...one, file_path: "a", replace_all: true })?.others).toEqual(["replace_all"]);
  expect(editIn("Edit", { ...one, file_path: "a", path: "b" })).toMatchObject({
    path: null,
    others: ["file_path", "path"],
  });
  expect(editIn("MultiEdit", { file_path: "a", edits: [one, { ...one, dry: 1 }] })?.others).toEqual(["dry"]);
});

test("what is no edit, may be read in two ways or is not all understood stays as it is", () => {
  const one = { old_string: "a", new_string: "b" };
  const others: [string, unknown][] = [
    ["Bash", { command: "rm -rf /" }],
    ["Bash", { command: `cat <<X\n${PATCH}` }],
    ["add_note", { content: "a note" }],
    ["Edit", { old_string: "a" }],
    ["Edit", { ...one, oldText: "a", newText: "c" }],
    ["Edit", { ...one, edits: [one] }],
    ["MultiEdit", { edits: [one, "x"] }],
    ["MultiEdit", { edits: [] }],
    ["Edit", null],
    ["Edit", [one]],
  ];
  for (const [tool, given] of others) expect(editIn(tool, given)).toBe(undefined);
});

test("what shows nothing or turns a line around is written out, and compared as it is seen", () => {
  const edit = editIn("Edit", { old_string: "a\u202eb\r\nc", new_string: "a\u200bb\nc" });
  expect(shown(edit)).toEqual([
    [
      ["removed", "a\\u202eb\\x0d"],
      ["added", "a\\u200bb"],
      ["same", "c"],
    ],
  ]);
  expect(shown(editIn("p", { input: "*** Begin Patch\n+\u202eb" }))?.[0]?.[1]).toEqual(["added", "\\u202eb"]);
});

test("an edit that is very large is read in the arguments", () => {
  expect(editIn("Write", { file_path: "a", content: "x".repeat(60_001) })).toBe(undefined);
  const many = editIn("Write", { file_path: "a", content: "x\n".repeat(2000) });
  expect(many && editLines(many)).toBe(undefined);
});

test("a card is looked at for an edit only where its text has one of the words", () => {
  expect(mayBeEdit(JSON.stringify({ old_string: "a" }, null, 2))).toBe(true);
  expect(mayBeEdit(JSON.stringify({ command: PATCH }, null, 2))).toBe(true);
  expect(mayBeEdit(JSON.stringify({ command: "git push" }, null, 2))).toBe(false);
});
