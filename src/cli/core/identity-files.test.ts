import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { IdentityFiles } from "./identity-files.ts";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

function open(): { files: IdentityFiles; path: string } {
  const home = mkdtempSync(join(tmpdir(), "parley-identity-"));
  homes.push(home);
  const files = new IdentityFiles({ home, origin: undefined, space: "main" });
  save(files, "first");
  const [name = ""] = readdirSync(join(home, "identities", "roles"));
  return { files, path: join(home, "identities", "roles", name) };
}

const save = (files: IdentityFiles, token: string): void =>
  files.saveRole({ role: "worker", name: "mason", token, space: "main" });

/** Its change time is one by now at which nothing else will be written. */
const settled = (path: string): Promise<void> =>
  expect.poll(() => Date.now() - statSync(path).ctimeMs, { timeout: 10_000 }).toBeGreaterThan(1000);

test("a token that is asked for before each request is the one that there is then: replaced, rewritten, gone and back", async () => {
  const { files, path } = open();
  const role = files.roleAsItIs("worker", "mason");
  const token = (): string | undefined => role()?.token;
  expect(token()).toBe("first");
  await settled(path);
  expect([token(), token()]).toEqual(["first", "first"]);
  save(files, "other");
  expect(token()).toBe("other");
  await settled(path);
  expect(token()).toBe("other");
  // By somebody's editor, which keeps the file, its size and even its time.
  const text = JSON.stringify({ role: "worker", name: "mason", token: "third", space: "main" });
  writeFileSync(path, `${text}\n`);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  expect(token()).toBe("third");
  rmSync(path);
  expect(token()).toBeUndefined();
  save(files, "again");
  expect(token()).toBe("again");
});

test("a file that has become readable by others, or a link, is refused though its token is known", async () => {
  const { files, path } = open();
  const role = files.roleAsItIs("worker", "mason");
  await settled(path);
  expect([role()?.token, role()?.token]).toEqual(["first", "first"]);
  chmodSync(path, 0o644);
  expect(role).toThrow("can be read or changed by other users");
  chmodSync(path, 0o600);
  renameSync(path, `${path}.moved`);
  symlinkSync(`${path}.moved`, path);
  expect(role).toThrow("is a link");
});
