/** Every scenario of the bench, for a moment: its figures mean nothing then, but one that has rotted is found. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Figure } from "../bench/support/scenario.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NAMES = globSync("bench/*.bench.ts", { cwd: ROOT }).map((path) => path.replace(/^bench.|\.bench\.ts$/g, ""));

test.for(NAMES)("the bench %s runs and tells its figures", async (name) => {
  const command = ["scripts/bench.mjs", name, "--moment", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  // What `--json` prints.
  const { figures } = JSON.parse(stdout) as { figures: (Figure & { scenario: string })[] };
  expect(figures.length).toBeGreaterThan(0);
  for (const { scenario, figure, ours, reference } of figures) {
    expect(scenario).toBe(name);
    expect([figure, Number.isFinite(ours), Number.isFinite(reference)]).toEqual([figure, true, true]);
  }
});
