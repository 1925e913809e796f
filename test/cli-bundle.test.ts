/** What bin/parley runs of a checkout: the bundle while it is of these very sources, and otherwise the sources. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const made = mkdtempSync(join(tmpdir(), "parley-bundle-"));
const SOURCE = join(made, "src/cli/hub/version.ts");
const text = readFileSync(join(ROOT, "src/cli/hub/version.ts"), "utf8");

/** A checkout of our own: its sources are changed here. */
beforeAll(() => {
  for (const path of ["bin", "src", "scripts", "package.json", "package-lock.json"])
    cpSync(join(ROOT, path), join(made, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(made, "node_modules"));
});
afterAll(() => rmSync(made, { recursive: true }));

beforeEach(bundle);
afterEach(() => writeFileSync(SOURCE, text));

function bundle(): void {
  rmSync(join(made, "artifacts"), { recursive: true, force: true });
  const { status, stderr } = spawnSync(process.execPath, ["scripts/bundle.mjs"], { cwd: made, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  // So that one can tell which of the two runs.
  const part = readdirSync(join(made, "artifacts/cli")).find((name) => name.startsWith("version-")) ?? "";
  const path = join(made, "artifacts/cli", part);
  writeFileSync(path, readFileSync(path, "utf8").replace("node: process", "bundled: true, node: process"));
}

function run(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(join(made, "bin/parley"), args, {
    encoding: "utf8",
    cwd: tmpdir(),
    env: { PATH: "/usr/bin:/bin", HOME: made },
  });
  return { stdout, stderr, status };
}
const ran = (): object => JSON.parse(run("version", "--json").stdout);

test("the bundle runs while the sources are those it was made of", () => {
  expect(ran()).toMatchObject({ bundled: true });
  expect(run("versoin")).toMatchObject({ status: 2, stdout: "" });
  expect(run("versoin").stderr).toContain("version");
});

test("a changed source is never missed, though its size and its times are those of before", () => {
  const { atime, mtime, size } = statSync(SOURCE);
  writeFileSync(SOURCE, text.replace("node: process.versions.node", "edon: process.versions.node"));
  utimesSync(SOURCE, atime, mtime);
  expect(statSync(SOURCE)).toMatchObject({ size, mtime });
  expect(ran()).toEqual({ version: expect.any(String), edon: expect.any(String) });
});

test("a source that another file took the place of is never missed, though that file is old", () => {
  const other = join(made, "other.ts");
  writeFileSync(other, text.replace("node: process.versions.node", "edon: process.versions.node"));
  const { atime, mtime } = statSync(SOURCE);
  utimesSync(other, atime, mtime);
  renameSync(other, SOURCE);
  expect(ran()).toHaveProperty("edon");
});

test("a source that is gone is missed by name, as it is without a bundle", () => {
  rmSync(SOURCE);
  const { status, stderr } = run("version", "--json");
  expect(status).toBe(1);
  expect(stderr).toContain("version.ts");
});

test("a copy of the checkout runs its own sources, and not the bundle that was copied with it", () => {
  const copy = `${made}-copy`;
  try {
    cpSync(made, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const { stdout } = spawnSync(join(copy, "bin/parley"), ["version", "--json"], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", HOME: made },
    });
    expect(JSON.parse(stdout)).not.toHaveProperty("bundled");
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test("the hub that is served is the bundled one while its sources are those it was made of", () => {
  const hub = join(made, "artifacts/hub.cjs");
  writeFileSync(hub, `console.error("bundled");\n${readFileSync(hub, "utf8")}`);
  // Refused before it begins anything, by the error of the very hub that was loaded.
  const serve = () => run("serve", "--host", "0.0.0.0", "--port", "0");
  const refused = { status: 78, stderr: expect.stringContaining("--insecure") };
  expect(serve()).toMatchObject({ ...refused, stderr: expect.stringMatching(/^bundled\n.*--insecure/s) });

  const source = join(made, "src/app.ts");
  writeFileSync(source, `${readFileSync(source, "utf8")}\n`);
  expect(serve()).toMatchObject(refused);
  expect(serve().stderr).not.toContain("bundled");
});
