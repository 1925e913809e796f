/**
 * `node clients/support/install.ts` puts the clients into the cache, unless they are there. Each package has one native
 * program for each platform in a package of its own; scripts of theirs are not run.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BIN, CACHE, PACKAGES } from "./versions.ts";

const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  codex: `@openai/codex-${process.platform}-${process.arch}/vendor/*/bin/codex`,
};

const modules = join(CACHE, "node_modules");

function isInstalled(): boolean {
  return Object.entries(PACKAGES).every(([name, version]) => {
    const about = join(modules, name, "package.json");
    return existsSync(about) && JSON.parse(readFileSync(about, "utf8")).version === version;
  });
}

function install(): void {
  console.log(`Installing Claude Code and Codex into ${CACHE} (800 MB) ...`);
  mkdirSync(CACHE, { recursive: true });
  const named = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const options = ["--prefix", CACHE, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["install", ...options, ...named], { cwd: CACHE, stdio: "inherit" });
  if (status !== 0) fail("The clients could not be installed; npm says why above. Nothing was checked.");
}

function link(): void {
  mkdirSync(BIN, { recursive: true });
  for (const [name, pattern] of Object.entries(PROGRAMS)) {
    const [found] = globSync(pattern, { cwd: modules });
    if (!found) fail(`There is no ${name} for ${process.platform}-${process.arch}. Nothing was checked.`);
    rmSync(join(BIN, name), { force: true });
    symlinkSync(join(modules, found), join(BIN, name));
  }
}

function fail(why: string): never {
  console.error(why);
  process.exit(1);
}

if (!isInstalled()) install();
link();
if (spawnSync("tmux", ["-V"]).status !== 0) fail("Interactive clients run in tmux. On Debian: apt-get install tmux.");
