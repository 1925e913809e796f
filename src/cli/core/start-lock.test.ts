import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeStartLock } from "./start-lock.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-lock-"));
  path = join(folder, "start.lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

test("the first to come gets the lock, the second does not", () => {
  expect(takeStartLock(path)).toBeDefined();
  expect(takeStartLock(path)).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe(`${process.pid}\n`);
});

test("a lock that was given back can be taken again", () => {
  takeStartLock(path)?.[Symbol.dispose]();
  expect(takeStartLock(path)).toBeDefined();
});

test("the lock of a process that died is cleared away, and can be taken in the next round", () => {
  writeFileSync(path, `${deadPid()}\n`);
  expect(takeStartLock(path)).toBeUndefined();
  expect(takeStartLock(path)).toBeDefined();
});

test("the lock of a living process stands, unless it is far older than any start", () => {
  writeFileSync(path, `${process.pid}\n`);
  takeStartLock(path);
  expect(takeStartLock(path)).toBeUndefined();

  utimesSync(path, secondsAgo(600), secondsAgo(600));
  takeStartLock(path);
  expect(takeStartLock(path)).toBeDefined();
});

test("a lock whose pid is not written yet stands for a moment", () => {
  writeFileSync(path, "");
  takeStartLock(path);
  expect(takeStartLock(path)).toBeUndefined();

  utimesSync(path, secondsAgo(30), secondsAgo(30));
  takeStartLock(path);
  expect(takeStartLock(path)).toBeDefined();
});

test("giving back a lock that somebody took over leaves theirs alone", () => {
  const lock = takeStartLock(path);
  writeFileSync(path, "1\n");
  lock?.[Symbol.dispose]();
  expect(readFileSync(path, "utf8")).toBe("1\n");
});
