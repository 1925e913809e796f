/**
 * `node scripts/bundle.mjs` puts the command line's modules into few files, `artifacts/cli`, which bin/parley runs: a
 * file costs half a millisecond to load, and a hook runs for every prompt (docs/design/cli.md).
 *
 * What it was made of is written into it, and looked at whenever it starts: where a source is not the very file that
 * was read here, the sources run instead. So does the hub, `artifacts/hub.cjs`, which `parley serve` loads: made of 450 files,
 * it starts in half the time.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { bundled, cliSources, folder, hubBundle, hubSources, hubStamps, shared, sources } from "./cli-sources.mjs";
import { root } from "./run.mjs";

/** What these two load becomes one file. It has most of what other commands share, too. */
const HOT = ["main.ts", "mail/poll.ts"].map((name) => join(sources, name));
const FIRST = "main";
/** The coarsest step by which file systems tell time: within it a second change could look like the first. */
const STEP_MS = 2000;
/** A command that runs for long may load a part of its own bundle late. */
const KEEP_MS = 7 * 24 * 3600 * 1000;

const isOurs = (path) => [sources, ...shared].some((each) => path === each || path.startsWith(each + sep));

mkdirSync(folder, { recursive: true });
// It comes with vite, and no package of ours names it.
const { rolldown } = await import(pathToFileURL(join(root, "node_modules", "rolldown", "dist", "index.mjs")).href);
const commands = await ofTheseSources(cliSources, build);
for (const { name, fileName, code } of commands.made) if (name !== FIRST) replace(join(folder, fileName), code);
replace(bundled, runnable(commands.made.find(({ name }) => name === FIRST).code, commands.stamps));
const hub = await ofTheseSources(hubSources, buildHub);
// Nobody takes the new one for what the old stamps say: those are gone first.
rmSync(hubStamps, { force: true });
for (const { fileName, code } of hub.made) replace(join(dirname(hubBundle), fileName), code);
replace(hubStamps, JSON.stringify(hub.stamps));
removeOld();

/** Made once more where a source has changed meanwhile. */
async function ofTheseSources(listSources, make) {
  for (;;) {
    const stamps = await settled(listSources);
    const made = await make();
    if (JSON.stringify(stamps) === JSON.stringify(listSources())) return { stamps, made };
  }
}

async function settled(listSources) {
  for (;;) {
    const stamps = listSources();
    const age = Date.now() - Math.max(...stamps.map(([, , , changed]) => changed));
    // In the future, if the clock was put back: waiting would not end.
    if (age > STEP_MS || age < 0) return stamps;
    await pause(STEP_MS - age + 1);
  }
}

/** With all packages. What these two name is not installed: pg does without. */
async function buildHub() {
  const bundle = await rolldown({
    input: join(root, "src", "program.ts"),
    platform: "node",
    external: ["pg-native", "cloudflare:sockets"],
  });
  const { output } = await bundle.generate({
    // An ESM import of Node's own modules evaluates every lazy export: that of node:http alone would load undici.
    format: "cjs",
    strict: true,
    entryFileNames: basename(hubBundle),
    chunkFileNames: "hub-[name]-[hash].cjs",
  });
  await bundle.close();
  return output;
}

async function build() {
  const hot = new Set();
  const bundle = await rolldown({
    input: HOT[0],
    platform: "node",
    // Late is for the sources; in the bundle it is there already.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: "command-line",
        /** The hub, the client library and packages are loaded from where they are. */
        resolveId(id, importer) {
          if (importer === undefined) return null;
          if (!id.startsWith(".")) return { id, external: true };
          const path = resolve(dirname(importer), id);
          return isOurs(path) ? path : { id: relative(folder, path).replaceAll(sep, "/"), external: true };
        },
        buildEnd() {
          const add = (id) => {
            if (hot.has(id) || !isOurs(id)) return;
            hot.add(id);
            for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(next);
          };
          HOT.forEach(add);
        },
      },
    ],
  });
  const { output } = await bundle.generate({
    format: "cjs",
    chunkFileNames: ({ name }) => (name === FIRST ? basename(bundled) : "[name]-[hash].cjs"),
    codeSplitting: { groups: [{ name: FIRST, test: (id) => hot.has(id) }] },
    minifyInternalExports: false,
  });
  await bundle.close();
  // Whoever imported the entry would be given this file. Nobody does.
  return output.filter(({ isEntry }) => !isEntry);
}

function runnable(code, stamps) {
  return `// Made by scripts/bundle.mjs.
{
  const { statSync } = require("node:fs");
  const SOURCES = ${JSON.stringify(stamps)};
  const isSame = ([path, ino, size, changed]) => {
    const now = statSync(__dirname + path, { throwIfNoEntry: false });
    return now !== undefined && now.ino === ino && now.size === size && now.ctimeMs === changed;
  };
  if (!SOURCES.every(isSame)) {
    import("../../src/main.ts");
    return;
  }
}
${code}
exports.main(process.argv.slice(2));
`;
}

/** At once, under whoever is starting just now. */
function replace(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function removeOld() {
  const parts = readdirSync(dirname(hubBundle)).filter((name) => name.startsWith("hub-"));
  const paths = [
    ...readdirSync(folder).map((name) => join(folder, name)),
    ...parts.map((name) => join(dirname(hubBundle), name)),
  ];
  for (const path of paths) if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path);
}
