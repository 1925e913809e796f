import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/open.ts";
import { Audit } from "./audit.ts";
import { chained, digestOf, type Link, START } from "./chain.ts";
import { saveHead } from "./store.ts";

let home: string;
let database: Database;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "parley-audit-"));
  database = await openDatabase({ home, database_url: undefined, now: undefined, after_crash: false });
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const FILE = "audit.jsonl";
const file = (name = FILE): string => join(home, name);
const open = (more: { after_crash?: boolean; days?: number; bytes?: number } = {}): Promise<Audit> =>
  Audit.open({
    home,
    chain: "folder",
    database,
    kept: { days: more.days ?? 0, bytes: more.bytes ?? 1024 * 1024 },
    after_crash: more.after_crash ?? false,
    report: (error) => {
      throw error;
    },
  });
/** So many lines, by a hub that ended. */
const written = async (count: number): Promise<string[]> => {
  await using audit = await open();
  for (let n = 1; n <= count; n += 1) audit.event({ op: `op-${n}`, result: "ok" });
  await audit.verify();
  return readFileSync(file(), "utf8").trimEnd().split("\n");
};
const put = (lines: readonly string[]): void => writeFileSync(file(), lines.map((line) => `${line}\n`).join(""));
const problems = async (): Promise<string[]> => {
  await using audit = await open();
  return (await audit.verify()).problems.map(({ problem }) => problem);
};

test("what was written is found as it was written", async () => {
  await written(10);
  await using audit = await open();
  expect(await audit.verify()).toEqual({ ok: true, lines: 10, first_seq: 1, last_seq: 10, problems: [] });
  expect(await audit.tail(2)).toMatchObject([{ op: "op-9" }, { op: "op-10" }]);
});

test("a line that was changed is found, be it the first, one in the middle or the last", async () => {
  const lines = await written(10);
  for (const at of [0, 4, 9]) {
    put(lines.map((line, n) => (n === at ? line.replace('"op-', '"oq-') : line)));
    expect(await problems()).toEqual([`Line ${at + 1} is not what was written.`]);
  }
});

test("a line that was removed is found, also where those after it were given new numbers", async () => {
  const lines = await written(10);
  put(lines.filter((_, n) => n !== 4));
  expect(await problems()).toEqual(["Line 5 is missing."]);
  put(lines.slice(3));
  expect(await problems()).toEqual(["Lines 1 to 3 are missing."]);
  const renumbered = lines.filter((_, n) => n !== 4).map((line, n) => line.replace(/^\{"seq":\d+/, `{"seq":${n + 1}`));
  put(renumbered);
  expect((await problems())[0]).toBe("Line 4 is not what was written.");
});

test("an end that was cut off is found, by a hub that runs and by the next one, and stays found", async () => {
  const lines = await written(10);
  {
    await using audit = await open();
    put(lines.slice(0, 7));
    const { problems } = await audit.verify();
    expect(problems.map(({ problem }) => problem)).toEqual(["Lines 8 to 10 are missing. The end is cut off."]);
  }
  for (let times = 0; times < 2; times += 1) expect(await problems()).toEqual(["Lines 8 to 10 are missing."]);
  const last = readFileSync(file(), "utf8").trimEnd().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ seq: 11, op: "audit.resumed", missing: 3 });
});

/** As somebody would who can write the files and knows how the chain is made. */
const rechained = (lines: readonly string[]): string[] => {
  let last: Link = START;
  return lines.map((line) => {
    const { seq: _, prev: __, ...fields } = JSON.parse(line);
    const next = chained(last, fields);
    last = next.link;
    return next.line;
  });
};

test("a change stays found by every hub that starts after it, also where all lines after it were linked anew", async () => {
  const lines = await written(10);
  const changed = (at: number): string[] => lines.map((line, n) => (n === at ? line.replace('"op-', '"oq-') : line));
  for (const forged of [changed(9), rechained(changed(4)), rechained(changed(9))]) {
    put(forged);
    for (let times = 0; times < 3; times += 1) {
      await using audit = await open();
      audit.event({ op: "later", result: "ok" });
      expect((await audit.verify()).problems.map(({ problem }) => problem)).toEqual([
        "Line 10 is not what was written.",
      ]);
    }
    const [, last = ""] = /^(.*"op":"audit.resumed".*)$/m.exec(readFileSync(file(), "utf8")) ?? [];
    expect(JSON.parse(last)).toMatchObject({ seq: 11, changed: true });
    await rm(file());
    await saveHead(database, "folder", { seq: 10, digest: digestOf(lines[9] ?? ""), first_seq: 1 });
  }
});

test("a line that somebody else wrote is found, by a hub that runs and by the next one", async () => {
  const lines = await written(3);
  const forged = rechained([...lines, (lines[2] ?? "").replace("op-3", "op-4")]);
  {
    await using audit = await open();
    put(forged);
    expect((await audit.verify()).problems.map(({ problem }) => problem)).toEqual([
      "Line 4 was never written by the hub.",
    ]);
    audit.event({ op: "later", result: "ok" });
    expect((await audit.verify()).ok).toBe(false);
  }
  expect(await problems()).not.toEqual([]);
});

test("that all of it is gone is found", async () => {
  await written(10);
  rmSync(file());
  expect(await problems()).toEqual(["Lines 1 to 10 are missing."]);
});

test("of a line that a crash tore the beginning is taken away, and the chain goes on with a line that says so", async () => {
  await written(3);
  writeFileSync(file(), '{"seq":4,"ts":"20', { flag: "a" });
  await using audit = await open({ after_crash: true });
  expect(await audit.verify()).toMatchObject({ ok: true, lines: 4 });
  expect(await audit.tail(1)).toMatchObject([{ seq: 4, op: "audit.resumed", torn_bytes: 17 }]);
});

test("after a crash the chain goes on, with a line that says that there was one", async () => {
  await written(3);
  await using audit = await open({ after_crash: true });
  expect(await audit.verify()).toMatchObject({ ok: true, last_seq: 4 });
  expect(await audit.tail(1)).toMatchObject([{ op: "audit.resumed" }]);
});

test("a chain goes on from file to file, and a file that is missing between them is found", async () => {
  const bytes = 16_000;
  {
    await using audit = await open({ bytes: bytes * 10 });
    for (let n = 0; n < 900; n += 1) {
      audit.event({ op: `op-${n}`, result: "ok" });
      if (n % 100 === 0) await audit.verify();
    }
    expect(await audit.verify()).toMatchObject({ ok: true, lines: 900, first_seq: 1 });
  }
  const [first = "", second = ""] = readdirSync(home)
    .filter((name) => /^audit-\d+\.jsonl$/.test(name))
    .sort();
  expect(second).not.toBe("");
  const text = readFileSync(file(second));
  rmSync(file(second));
  expect((await problems())[0]).toMatch(/^Lines \d+ to \d+ are missing\.$/);
  writeFileSync(file(second), text);
  truncateSync(file(first), 1000);
  expect(await problems()).not.toEqual([]);
});

test("what is too old or too much is forgotten a file at a time, and that it was is no fault", async () => {
  const fill = async (kept: { days?: number; bytes?: number }): Promise<void> => {
    await using audit = await open(kept);
    for (let n = 0; n < 400; n += 1) {
      audit.event({ op: `op-${n}`, result: "ok" });
      if (n % 20 === 0) await audit.verify();
    }
  };
  await fill({ bytes: 40_000 });
  const older = (): string[] => readdirSync(home).filter((name) => /^audit-\d+\.jsonl$/.test(name));
  expect(older().length).toBeGreaterThan(0);
  expect(older().length).toBeLessThan(5);
  expect(await problems()).toEqual([]);
  for (const name of older()) utimesSync(file(name), 0, 0);
  await fill({ bytes: 40_000_000, days: 30 });
  await using audit = await open();
  const verdict = await audit.verify();
  expect([verdict.ok, verdict.first_seq !== 1]).toEqual([true, true]);
});
