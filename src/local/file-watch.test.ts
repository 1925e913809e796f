import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LOOK_MS, watchFiles } from "./file-watch.ts";

let folder: string;
let file: string;
let told: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  folder = mkdtempSync(join(tmpdir(), "parley-watch-"));
  file = join(folder, "servers.json");
  told = 0;
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const watch = (...paths: string[]) =>
  watchFiles(paths, () => {
    told += 1;
  });
const look = (): number => {
  vi.advanceTimersByTime(LOOK_MS);
  return told;
};

test("a file that is written right after the call is told of once, and so is one that goes", () => {
  const unwatch = watch(file);
  writeFileSync(file, "{}");
  expect([look(), look()]).toEqual([1, 1]);
  rmSync(file);
  expect([look(), look()]).toEqual([2, 2]);
  unwatch();
});

test("one that takes its place, and rights that change, are told of", () => {
  writeFileSync(file, "{}");
  const unwatch = watch(join(folder, "other.json"), file);
  expect(look()).toBe(0);
  writeFileSync(`${file}.new`, "{}");
  renameSync(`${file}.new`, file);
  expect(look()).toBe(1);
  chmodSync(file, 0o600);
  expect(look()).toBe(2);
  unwatch();
  rmSync(file);
  expect(look()).toBe(2);
});
