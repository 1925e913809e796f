/**
 * `npm run bench [-- NAME ...] [--json] [--strict] [--moment] [--profile FOLDER]` runs the scenarios,
 * `bench/<NAME>.bench.ts`, one after another. How to read what it prints: docs/design/bench.md.
 *
 * A bound that is missed is told, but only with `--strict` is it an error: on a busy machine figures are noisy.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeProfiles } from "../bench/support/child.ts";
import { withOthers } from "../bench/support/machine.ts";
import { toJson, toText } from "../bench/support/report.ts";
import { keeps } from "../bench/support/scenario.ts";
import { root } from "./run.mjs";

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean" },
    strict: { type: "boolean" },
    moment: { type: "boolean" },
    profile: { type: "string" },
  },
  allowPositionals: true,
});
const all = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.slice(0, -".bench.ts".length))
  .sort();
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(", ")}. There are: ${all.join(", ")}.`);
  process.exit(2);
}
if (values.profile) {
  const folder = resolve(values.profile);
  mkdirSync(folder, { recursive: true });
  writeProfiles(folder);
}

const runs = [];
for (const name of positionals.length > 0 ? positionals : all) {
  const { scenario } = await import(`../bench/${name}.bench.ts`);
  if (values.json) console.error(`${name} ...`);
  const started = performance.now();
  const { result: figures, others } = await withOthers(() => scenario.run(values.moment ? "moment" : "full"));
  const run = { scenario, figures, seconds: Math.round((performance.now() - started) / 1000), others };
  runs.push(run);
  if (!values.json) console.log(toText(run));
}

const figures = runs.flatMap(({ figures }) => figures);
const missed = figures.filter((figure) => !keeps(figure));
const seconds = runs.reduce((sum, { seconds }) => sum + seconds, 0);
if (values.json) console.log(JSON.stringify(toJson(runs), null, 2));
else console.log(`${figures.length} figures in ${seconds} s, ${missed.length} of them out of bounds.`);
process.exitCode = values.strict && missed.length > 0 ? 1 : 0;
