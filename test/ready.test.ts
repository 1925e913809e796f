/** What `npm start` and `npm test` do first in a fresh clone, with an npm and builders that are noisy and quick. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { FILES }: { FILES: string[] } = await import(join(ROOT, "scripts", "web-hash.mjs"));
const ONE_LINE = /^Getting Parley ready: [^\n]*…\n$/;

let clone: string;
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), text);
};
const noisy = (who: string, more = ""): string =>
  `console.log("${who}: 1 of 3 …"); console.error("${who} warns"); ${more}`;

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "parley-clone-"));
  for (const name of ["ready.mjs", "run.mjs", "cli-sources.mjs", "web-hash.mjs"])
    cpSync(join(ROOT, "scripts", name), join(clone, "scripts", name));
  for (const path of ["src/client/node.ts", "src/cli/main.ts", "src/local/rights.ts", "web/src/app.ts"]) put(path, "");
  for (const path of ["web/static/icon.svg", ...FILES]) put(path, "{}");
  put("package-lock.json", JSON.stringify({ packages: { "": {}, "node_modules/vite": { version: "1.0.0" } } }));
  put("fake/vite.js", noisy("vite", 'require("node:fs").mkdirSync("build", { recursive: true });'));
  put("fake/npm-cli.js", noisy("npm", 'require("node:fs").cpSync("fake/vite.js", "node_modules/vite/bin/vite.js");'));
  put("scripts/bundle.mjs", noisy("bundler"));
});
afterEach(() => rmSync(clone, { recursive: true }));

function ready(...args: string[]) {
  const env = { ...process.env, npm_execpath: join(clone, "fake", "npm-cli.js"), npm_node_execpath: process.execPath };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, "scripts", "ready.mjs"), ...args], {
    cwd: clone,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

test("the lockfile has every package that another names, those of other platforms too: else npm ci installs nothing", () => {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(ROOT, "package-lock.json"), "utf8"),
  );
  /** As Node looks: beside the package, then further up. */
  const isThere = (path: string, name: string): boolean => {
    for (let place = path; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/")))) {
      if (`${place}${place && "/"}node_modules/${name}` in packages) return true;
      if (place === "") return false;
    }
  };
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isThere(path, name))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

test("a cold start is one line that says what is happening, and nothing of what the builders say", () => {
  put("scripts/said.mjs", 'console.log("the hub")');
  expect(ready("scripts/said.mjs")).toEqual({
    status: 0,
    stdout: "the hub\n",
    stderr: expect.stringMatching(ONE_LINE),
  });
});

test("what could not be built is said with the builder's own words, and nothing is started", () => {
  put("fake/vite.js", noisy("vite", "process.exit(3);"));
  put("scripts/said.mjs", 'console.log("the hub")');
  const { status, stdout, stderr } = ready("scripts/said.mjs");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/vite: 1 of 3 …\nvite warns\n\nThe web app could not be built; .* Nothing was started\.\n$/);
});
