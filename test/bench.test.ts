/** Every scenario of the bench, for a moment: its figures mean nothing then, but one that has rotted is found. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { keepCompiled } from "../bench/support/compiled.ts";
import type { Figure, Scenario } from "../bench/support/scenario.ts";
import { COMPILED } from "../src/testing/compiled.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NAMES = globSync("bench/*.bench.ts", { cwd: ROOT }).map((path) => path.replace(/^bench.|\.bench\.ts$/g, ""));

keepCompiled(COMPILED.NODE_COMPILE_CACHE);

const expectNumbers = (figures: readonly Figure[]): void => {
  expect(figures.length).toBeGreaterThan(0);
  for (const { figure, ours, reference } of figures)
    expect([figure, Number.isFinite(ours), Number.isFinite(reference)]).toEqual([figure, true, true]);
};

test.for(NAMES)("the bench %s runs and tells its figures", async (name) => {
  const { scenario }: { scenario: Scenario } = await import(`../bench/${name}.bench.ts`);
  expect(scenario.name).toBe(name);
  expectNumbers(await scenario.run("moment"));
});

test("npm run bench runs the scenarios that are named, and prints their figures as JSON", async () => {
  const named = ["due", "policy"];
  const command = ["scripts/bench.mjs", ...named, "--moment", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  // What `--json` prints.
  const { figures } = JSON.parse(stdout) as { figures: (Figure & { scenario: string })[] };
  expectNumbers(figures);
  expect([...new Set(figures.map(({ scenario }) => scenario))]).toEqual(named);
});
