/**
 * `node clients/support/install.ts` puts the clients into the cache, unless they are there. Each package has one native
 * program for each platform in a package of its own; scripts of theirs are not run.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BIN, CACHE, INSTALLED } from "./versions.ts";

const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  codex: `@openai/codex-${process.platform}-${process.arch}/vendor/*/bin/codex`,
};

const modules = join(CACHE, "node_modules");

type Installed = (typeof INSTALLED)[number];

const isInstalled = ({ folder, packages }: Installed): boolean =>
  Object.entries(packages).every(([name, version]) => {
    const about = join(folder, "node_modules", name, "package.json");
    return existsSync(about) && JSON.parse(readFileSync(about, "utf8")).version === version;
  });

function install({ folder, packages, options }: Installed): void {
  const named = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  console.log(`Installing ${named.join(", ")} into ${folder} (800 MB in all) ...`);
  mkdirSync(folder, { recursive: true });
  const quiet = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["install", ...quiet, ...options, ...named], { cwd: folder, stdio: "inherit" });
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

for (const each of INSTALLED) if (!isInstalled(each)) install(each);
link();
if (spawnSync("tmux", ["-V"]).status !== 0) fail("Interactive clients run in tmux. On Debian: apt-get install tmux.");
