/** Writes `docs/reference/clients.md`: what was run, when, and what came of each check. A check that did not run failed. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { Way } from "./times.ts";
import { ACP_PACKAGES, PACKAGES } from "./versions.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NAMES = {
  "@anthropic-ai/claude-code": "Claude Code",
  "@openai/codex": "Codex",
  "@agentclientprotocol/claude-agent-acp": "claude-agent-acp",
};
const VERSIONS = { ...PACKAGES, ...ACP_PACKAGES };

export default class ClientsReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const checks = modules.flatMap((module) => [...module.children.allTests()]);
    const broken = modules.filter((module) => module.errors().length > 0);
    const failed = checks.filter((check) => check.result().state !== "passed").length;
    const faults = broken.length + unhandled.length;
    // Of a part of the checks there is nothing to be said about all.
    if (process.env.PARLEY_CLIENTS_REPORT) writeFileSync(process.env.PARLEY_CLIENTS_REPORT, page(checks, faults));
    console.log(`\n${checks.length - failed} passed, ${failed + faults} failed`);
    if (failed + faults > 0 || checks.length === 0) process.exitCode = 1;
  }
}

function page(checks: readonly TestCase[], faults: number): string {
  const outcomes = checks.map((check) => ({ name: check.name, passed: check.result().state === "passed" }));
  const passed = outcomes.filter((check) => check.passed).length;
  const rows = outcomes
    .toSorted((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }))
    .map(({ name, passed }) => `| ${passed ? "passed" : "**failed**"} | ${name} |`);
  const lost = faults > 0 ? `\n${faults} errors outside of a check.\n` : "";
  return `# The real clients

Written by \`npm run test:clients\` ([how it works](../design/clients.md)): the real programs, against models of ours that keep
every request. A check counts only if the text stands in a request.

| | |
|---|---|
${Object.entries(VERSIONS)
  .map(([name, version]) => `| ${NAMES[name as keyof typeof VERSIONS]} | ${version} |`)
  .join("\n")}
| Parley | ${commit()} |
| date | ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC |
| checks | ${passed} passed, ${outcomes.length - passed} failed |
${lost}
## Checks

| | |
|---|---|
${rows.join("\n")}

## From stored to in a request

Milliseconds from the moment the hub has stored a mail until its text stands in a request to the model, on a machine that
does other things too.

| client | way | median | fastest | slowest | times |
|---|---|---|---|---|---|
${timeRows(checks)}
`;
}

function timeRows(checks: readonly TestCase[]): string {
  const ways = checks.flatMap((check) => check.meta().ways ?? []);
  const row = ({ client, way, ms }: Way): string => {
    const sorted = ms.toSorted((one, other) => one - other);
    const figures = [sorted[Math.floor(sorted.length / 2)], sorted[0], sorted.at(-1)].map((each) =>
      Math.round(each ?? 0),
    );
    return `| ${client} | ${way} | ${figures.join(" | ")} | ${ms.length} |`;
  };
  return ways.length > 0 ? ways.map(row).join("\n") : "| none was measured | | | | | |";
}

const commit = (): string =>
  execFileSync("git", ["log", "-1", "--format=%h of %cs"], { cwd: ROOT, encoding: "utf8" }).trim();
