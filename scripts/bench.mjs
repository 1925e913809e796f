/**
 * `npm run bench [-- --json] [name ...]` runs the scenarios one after another, each in a process of its own.
 *
 * A scenario is a program `bench/<name>.bench.ts`. For each figure it prints a line of JSON such as
 * `{"figure":"posts, 100 at once","ratio":0.83,"at_least":0.6}`: always a ratio to a reference measured in the same
 * run, with `at_least` or `at_most` as its limit, and whatever else is worth keeping.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, run } from "./run.mjs";

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const all = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.slice(0, -".bench.ts".length));
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(", ")}. There are: ${all.join(", ")}.`);
  process.exit(2);
}

const figures = [];
for (const scenario of positionals.length > 0 ? positionals : all) {
  const code = await run(process.execPath, ["--expose-gc", join("bench", `${scenario}.bench.ts`)], {
    onLine: (line) => note({ scenario, ...JSON.parse(line) }),
  });
  if (code !== 0) {
    console.error(`The scenario ${scenario} ended with exit code ${code}.`);
    process.exit(code);
  }
}
if (values.json) console.log(JSON.stringify({ node: process.version, figures }, null, 2));
process.exitCode = figures.some(({ ok }) => !ok) ? 1 : 0;

function note(figure) {
  const { scenario, figure: name, ratio, at_least, at_most } = figure;
  const ok = at_least === undefined ? ratio <= at_most : ratio >= at_least;
  figures.push({ ...figure, ok });
  if (values.json) return;
  const limit = at_least === undefined ? `at most ${at_most}` : `at least ${at_least}`;
  console.log(`${ok ? "ok    " : "MISSED"}  ${ratio.toFixed(2).padStart(7)}×  (${limit})  ${scenario}: ${name}`);
}
