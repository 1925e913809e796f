/** A data folder is its owner's alone, and nothing in it leads elsewhere. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const REFUSED = 78;

test("a folder that others could write to is made its owner's alone, and that is said", async () => {
  mkdirSync(ground.home);
  chmodSync(ground.home, 0o777);
  const hub = await ground.serve();
  expect([mode(ground.home), mode(join(ground.home, "owner.lock"))]).toEqual(["700", "600"]);
  expect(hub.stderr()).toContain("It is yours alone now.");
});

test("a folder of others, or one with other things that they could write to, is left as it is and refused", async () => {
  mkdirSync(ground.home);
  writeFileSync(join(ground.home, "somebody's"), "");
  chmodSync(ground.home, 0o1777);
  for (const command of ["serve", "whoami"]) {
    const { code, stderr } = await ground.parley([command]);
    expect([code, stderr]).toEqual([REFUSED, expect.stringContaining("Other users can change it")]);
  }
  expect(mode(ground.home)).toBe("1777");
});

test("a command gives no token to what a folder names that others can change by now", async () => {
  await ground.serve();
  chmodSync(ground.home, 0o777);
  const { code, stderr } = await ground.parley(["whoami"]);
  expect([code, JSON.parse(stderr).error.code]).toEqual([REFUSED, "FOLDER_UNSAFE"]);
  expect((await ground.parley(["doctor"])).stdout).toContain("Other users may read or change");
  await ground.parley(["doctor", "--fix"]);
  expect(await ground.json(["whoami"])).toMatchObject({ principal: "admin" });
});

test.each([
  "parley.db",
  "parley.db-wal",
  "owner.lock",
  "admin.token",
  "audit.jsonl",
  "hub.json",
  "hub-settings.json",
  "outbox",
  "identities",
  "backups",
])("a link in the place of %s is refused by its name, and what it leads to stays as it was", async (name) => {
  mkdirSync(ground.home, { mode: 0o700 });
  const victim = join(ground.folder, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(ground.home, name));
  const { code, stderr } = await ground.parley(["serve"]);
  expect([code, stderr]).toEqual([REFUSED, expect.stringMatching(/link/)]);
  expect(stderr).toContain(name);
  expect(readFileSync(victim, "utf8")).toBe("precious");
  rmSync(join(ground.home, name));
});

test("the log of a hub that a command starts is written through no link", async () => {
  mkdirSync(ground.home, { mode: 0o700 });
  const victim = join(ground.folder, "victim");
  symlinkSync(victim, join(ground.home, "hub.log"));
  const { code, stderr } = await ground.parley(["whoami"]);
  expect([code, stderr]).toEqual([REFUSED, expect.stringContaining("hub.log")]);
  expect(existsSync(victim)).toBe(false);
});

test("what the system refuses a command is told in a sentence, with where to look, and with no stack", async () => {
  mkdirSync(join(ground.home, "start.lock"), { recursive: true, mode: 0o700 });
  const { code, stderr } = await ground.parley(["whoami", "--format", "text"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^parley: The system refused it: EISDIR.* doctor\n$/)]);
});
