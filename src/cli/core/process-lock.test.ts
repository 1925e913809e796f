import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startOf } from "../../local/processes.ts";
import { ProcessLock, takeBriefly } from "./process-lock.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-lock-"));
  path = join(folder, "start.lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;
const own = `${process.pid} ${startOf(process.pid)}\n`;

test("the first to come gets the lock, the second does not", () => {
  expect(takeBriefly(path)).toBeDefined();
  expect(takeBriefly(path)).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe(own);
});

test("a lock that was given back can be taken again", () => {
  takeBriefly(path)?.[Symbol.dispose]();
  expect(takeBriefly(path)).toBeDefined();
});

test("the lock of a process that died can be taken", () => {
  writeFileSync(path, `${deadPid()} 1\n`);
  expect(new ProcessLock(path).isFree()).toBe(true);
  expect(takeBriefly(path)).toBeDefined();
});

test.runIf(process.platform === "linux")(
  "the lock of one that died can be taken though another has its pid now",
  () => {
    writeFileSync(path, `${process.pid} 1\n`);
    expect(takeBriefly(path)).toBeDefined();
  },
);

test("the lock of a living process stands, unless what is soon done takes it far too long", () => {
  writeFileSync(path, own);
  expect(takeBriefly(path)).toBeUndefined();

  utimesSync(path, secondsAgo(600), secondsAgo(600));
  expect(new ProcessLock(path).take()).toBe(false);
  expect(takeBriefly(path)).toBeDefined();
});

test("a lock that is not written yet stands for a moment", () => {
  writeFileSync(path, "");
  expect(takeBriefly(path)).toBeUndefined();
  expect(new ProcessLock(path).take()).toBe(false);

  utimesSync(path, secondsAgo(30), secondsAgo(30));
  expect(takeBriefly(path)).toBeDefined();
});

test("giving back a lock that somebody took over leaves theirs alone", () => {
  const lock = takeBriefly(path);
  writeFileSync(path, "1 1\n");
  lock?.[Symbol.dispose]();
  expect(readFileSync(path, "utf8")).toBe("1 1\n");
});
