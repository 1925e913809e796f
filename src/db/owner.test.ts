/** One hub a data folder. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartRefused } from "../errors.ts";
import { ownFolder } from "./owner.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "parley-owner-"));
});
afterEach(() => rmSync(home, { recursive: true }));

test("a folder has one owner at a time, and who comes second is told the pid of the first", () => {
  const owner = ownFolder(home);
  expect(() => ownFolder(home)).toThrow(StartRefused);
  expect(() => ownFolder(home)).toThrow(/^Another hub already serves/);
  writeFileSync(join(home, "hub.json"), JSON.stringify({ pid: 4711 }));
  expect(() => ownFolder(home)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^Another hub \(pid 4711\) already serves/),
      command: "stop",
    }),
  );

  owner[Symbol.dispose]();
  ownFolder(home)[Symbol.dispose]();
});

test("a lock that cannot be taken for another reason is not blamed on another hub", () => {
  writeFileSync(join(home, "owner.lock"), "this is no lock ".repeat(100));
  expect(() => ownFolder(home)).toThrow(/owner\.lock .* cannot be locked: file is not a database/);
});
