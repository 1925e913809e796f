/**
 * `npm run test:clients [-- PATTERN ...]`: the real Claude Code and Codex, against models of the project's own. Installs
 * them where they are missing. With patterns it runs those files alone, and leaves the report of the last whole run.
 */
import { join } from "node:path";
import { root, run } from "./run.mjs";

const patterns = process.argv.slice(2);
const report = patterns.length === 0 ? { PARLEY_CLIENTS_REPORT: join(root, "docs", "reference", "clients.md") } : {};
const reporters = ["--reporter=default", `--reporter=${join(root, "clients", "support", "report.ts")}`];
const options = ["--config", join(root, "clients", "vitest.config.ts"), "--allowOnly=false"];

process.exitCode =
  (await run(process.execPath, [join(root, "clients", "support", "install.ts")])) ||
  (await run("vitest", ["run", ...options, ...reporters, ...patterns], { env: report }));
