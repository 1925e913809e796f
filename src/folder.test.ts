import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { StartRefused } from "./errors.ts";
import { Folder } from "./folder.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "parley-folder-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const open = (home: string, more: object = {}): Folder => new Folder({ ...readConfig({ home }, {}), ...more });
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("a new data folder, and the folders on the way to it, are for their owner alone", () => {
  const home = join(parent, "a", "b", "c");
  using _folder = open(home);
  for (const path of [home, join(parent, "a", "b"), join(parent, "a")]) expect(mode(path)).toBe("700");
});

test("what is written is whole, replaces what was there, and is for its owner alone", () => {
  const home = join(parent, "home");
  using folder = open(home);
  for (const text of ["first\n", "second\n"]) {
    folder.write("admin.token", text);
    expect(folder.read("admin.token")).toBe(text);
    expect(mode(join(home, "admin.token"))).toBe("600");
  }
  expect(existsSync(join(home, `admin.token.${process.pid}`))).toBe(false);
  expect(folder.read("nothing")).toBeUndefined();
});

test("what a crash or somebody else left in the way neither opens a secret to others nor leads it elsewhere", () => {
  const home = join(parent, "home");
  using folder = open(home);
  const elsewhere = join(parent, "elsewhere");
  writeFileSync(join(home, `one.${process.pid}`), "left over", { mode: 0o666 });
  chmodSync(join(home, `one.${process.pid}`), 0o666);
  writeFileSync(elsewhere, "untouched");
  symlinkSync(elsewhere, join(home, `two.${process.pid}`));
  for (const name of ["one", "two"]) {
    folder.write(name, "secret");
    expect([name, mode(join(home, name)), folder.read(name)]).toEqual([name, "600", "secret"]);
  }
  expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
});

test("a pipe in the place of a file keeps nobody waiting", () => {
  const home = join(parent, "home");
  using folder = open(home);
  expect(spawnSync("mkfifo", [join(home, "admin.token")]).status).toBe(0);
  expect(() => folder.read("admin.token")).toThrow("is not a file");
});

test("a hub announces where it is while it runs, and its folder remembers one that did not end by itself", () => {
  const home = join(parent, "home");
  const first = open(home);
  first.announce({ url: "http://127.0.0.1:1", socket: "hub.sock" });
  expect(first.after_crash).toBe(false);
  const said = JSON.parse(first.read("hub.json") ?? "");
  expect(said).toEqual({
    pid: process.pid,
    pid_start: expect.stringMatching(/^\d*$/),
    url: "http://127.0.0.1:1",
    socket: "hub.sock",
    version: expect.any(String),
    started_at: expect.stringMatching(/Z$/),
  });
  first[Symbol.dispose]();
  expect(existsSync(join(home, "hub.json"))).toBe(false);
  writeFileSync(join(home, "hub.json"), "{}");
  using second = open(home);
  expect(second.after_crash).toBe(true);
});

test("a second hub is refused with the pid of the first, and what is in the way with its name", () => {
  const home = join(parent, "home");
  using folder = open(home);
  folder.announce({ url: "http://127.0.0.1:1", socket: "hub.sock" });
  expect(() => open(home)).toThrow(`Another hub (pid ${process.pid}) already serves ${home}.`);
  writeFileSync(join(parent, "file"), "");
  for (const path of [join(parent, "file"), join(parent, "file", "below")]) {
    expect(() => open(path)).toThrow(StartRefused);
    expect(() => open(path)).toThrow(`The data folder ${path} cannot be written to`);
  }
});

test("HTTP-5: the hub listens beyond this machine only when told that it may", () => {
  const home = join(parent, "home");
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "hub.example", "127.evil.example", "localhost.evil.example"]) {
    expect(() => open(home, { host })).toThrow(`Listening on ${host} would send tokens in the clear.`);
    using _folder = open(home, { host, insecure: true });
  }
  for (const host of ["127.0.0.1", "127.0.0.2", "localhost", "::1"]) {
    using _folder = open(home, { host });
  }
});
