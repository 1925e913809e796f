import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LAUNCHER } from "../root.ts";
import { isOnPath, onPath, quoted } from "./program.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-path-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a link to the launcher on the PATH is this program", () => {
  symlinkSync(LAUNCHER, join(folder, "parley"));
  expect(isOnPath(`/nowhere:${folder}`)).toBe(true);
});

test("another program of the same name is not, and neither is one that a shell would not run", () => {
  const other = join(folder, "parley");
  writeFileSync(other, "#!/bin/sh\n", { mode: 0o755 });
  expect(onPath(folder)).toBe(other);
  expect(isOnPath(folder)).toBe(false);

  const later = join(folder, "later");
  mkdirSync(later);
  symlinkSync(LAUNCHER, join(later, "parley"));
  expect(isOnPath(`${folder}:${later}`)).toBe(false);

  chmodSync(other, 0o644);
  expect(isOnPath(`${folder}:${later}`)).toBe(true);
});

test("a folder that is named from where one stands counts for nothing", () => {
  expect(isOnPath("bin:.:")).toBe(false);
});

test("what a shell would take apart is quoted", () => {
  expect([LAUNCHER, "/opt/it's here/parley", "~x", "a;b"].map(quoted).slice(1)).toEqual([
    "'/opt/it'\\''s here/parley'",
    "'~x'",
    "'a;b'",
  ]);
});
