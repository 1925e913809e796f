/**
 * Everything that must hold, in order: all tests, unless a check before them fails. `--fast` leaves out PostgreSQL, the
 * question for known vulnerabilities and the end-to-end tests. The last line is always `N passed, N failed`.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { auditDependencies } from "./npm-audit.ts";
import { root, run } from "./run.mjs";
import { slowestFiles } from "./slowest-files.ts";

const { fast } = parseArgs({ options: { fast: { type: "boolean" } } }).values;
const databases = process.env.PARLEY_TEST_DATABASES ?? (fast ? "sqlite" : "sqlite,postgres");
const scratch = mkdtempSync(join(memory() ?? tmpdir(), "parley-test-"));
// PostgreSQL passes through it as another user.
chmodSync(scratch, 0o711);
const counts = { passed: 0, failed: 0 };
const closing = [];
const failed = [];
const files = [];
const web = join(root, "web");
const svelteCheck = join(web, "node_modules", "svelte-check", "bin", "svelte-check");

const steps = [
  ["Format and lint", () => run("biome", ["check", "--error-on-warnings"])],
  ["Types", () => run("tsc", ["--project", "."])],
  ["Types of the web app", () => run(process.execPath, [svelteCheck, "--fail-on-warnings"], { cwd: web })],
  ["Dead code", () => run("knip", [])],
  [`Unit and behaviour tests (${databases})`, () => vitest("unit", "own-process", "web")],
];
if (!fast) steps.push(["Known vulnerabilities", () => auditDependencies(root)]);
if (!fast) steps.push([`End-to-end tests (${databases})`, () => vitest("e2e", "conformance")]);

process.exitCode = await runSteps();
rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });

async function runSteps() {
  let code = 0;
  for (const [title, step] of steps) {
    // Red tests keep no others from being run: whoever mends them wants to know of all.
    if (code !== 0 && counts.failed === 0) break;
    console.log(`\n== ${title} ==\n`);
    const started = performance.now();
    const ended = await step();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    closing.push(`${ended === 0 ? "ok    " : "FAILED"}  ${title}, ${seconds} s`);
    code ||= ended;
  }
  const slowest = files.length > 0 ? `${slowestFiles(files).join("\n")}\n\n` : "";
  console.log(
    `\n== ${code === 0 ? "All good" : `Stopped with exit code ${code}`} ==\n\n${slowest}${closing.join("\n")}\n`,
  );
  // What failed stands last: whoever sees only the end of a long output has to see its name.
  if (failed.length > 0) console.log(`${failed.join("\n")}\n`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return code;
}

async function vitest(...projects) {
  const file = join(scratch, `${projects[0]}.json`);
  const chosen = projects.flatMap((project) => ["--project", project]);
  const reporters = ["--reporter=default", `--reporter=${join(root, "scripts", "test-report.mjs")}`];
  const code = await run("vitest", ["run", ...chosen, "--allowOnly=false", ...reporters], {
    env: { PARLEY_TEST_DATABASES: databases, PARLEY_TEST_REPORT: file, TMPDIR: scratch },
  });
  if (!existsSync(file)) return code || 1;

  const report = JSON.parse(readFileSync(file, "utf8"));
  counts.passed += report.passed;
  counts.failed += report.failed;
  failed.push(...report.failures);
  files.push(...report.files);
  if (report.passed === 0) failed.push("No test ran.");
  return code || (report.failures.length > 0 || report.passed === 0 ? 1 : 0);
}

/**
 * Every message of a test is a durable commit, and what a killed process has written the kernel still has: where there
 * is memory to write to, no test waits for a disk. Some of them start programs there, which not every system allows.
 */
function memory() {
  const folder = "/dev/shm";
  if (process.env.TMPDIR || !existsSync(folder)) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < 8 * 2 ** 30) return undefined;

  const probe = join(mkdtempSync(join(folder, "parley-probe-")), "true");
  writeFileSync(probe, "#!/bin/sh\n", { mode: 0o700 });
  const runs = spawnSync(probe).status === 0;
  rmSync(dirname(probe), { recursive: true });
  return runs ? folder : undefined;
}
