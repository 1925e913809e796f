import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFile, makeFolder, readIfThere, replaceFile } from "./files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

test("a file is replaced whole, is its user's alone, and leaves nothing beside it", () => {
  const path = join(folder, "a", "b", "file");
  expect(readIfThere(path)).toBeUndefined();
  for (const text of ["first", "second"]) {
    replaceFile(path, text);
    expect(readIfThere(path)).toBe(text);
  }
  expect([modeOf(path), modeOf(join(folder, "a")), readdirSync(join(folder, "a", "b"))]).toEqual([
    "600",
    "700",
    ["file"],
  ]);
});

test("neither a link in its place nor one in the way leads it elsewhere", () => {
  const [path, elsewhere] = [join(folder, "file"), join(folder, "elsewhere")];
  writeFileSync(elsewhere, "untouched");
  symlinkSync(elsewhere, path);
  symlinkSync(elsewhere, `${path}.${process.pid}`);
  replaceFile(path, "mine", { flush: true });
  expect([readFileSync(elsewhere, "utf8"), readFileSync(path, "utf8"), lstatSync(path).isSymbolicLink()]).toEqual([
    "untouched",
    "mine",
    false,
  ]);
});

test("what somebody else has made first stays", () => {
  const path = join(folder, "file");
  expect([createFile(path, "first"), createFile(path, "second"), readIfThere(path)]).toEqual([true, false, "first"]);
});

test("a folder that cannot be made is an error, and one that is there is none", () => {
  mkdirSync(join(folder, "there"));
  makeFolder(join(folder, "there"));
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file", "below"))).toThrow(/EEXIST|ENOTDIR/);
  expect(readIfThere(join(folder, "file", "below"))).toBeUndefined();
  expect(() => readIfThere(folder)).toThrow(/EISDIR/);
});
