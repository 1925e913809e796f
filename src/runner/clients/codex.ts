import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { addressFor, type Dialect, type Findings, isSessionId, objectIn, type Start } from "./dialect.ts";

const LOST = "no rollout found";
const OWN_SERVER = /^\s*\[\s*mcp_servers\.["']?parley["']?\s*\]/m;
const QUOTA = /usage limit|rate limit|\b429\b/i;

/** Codex without a person: `codex exec`, its prompt on its standard input. It says itself which session it began. */
export const codex: Dialect = {
  chooses_session: false,
  argv: (start) => [
    ...start.program.argv,
    ...["exec", "--json", "--skip-git-repo-check"],
    ...serverArguments(start),
    ...(start.session_id === null ? [] : ["resume", start.session_id]),
    "-",
  ],
  read: (findings, line, { now }) => {
    if (line.includes(LOST)) findings.session_lost = true;
    const message = objectIn(line);
    if (message?.type === "thread.started" && isSessionId(message.thread_id)) findings.session_id = message.thread_id;
    if (message?.type === "turn.failed") takeError(findings, (message.error ?? {}) as Record<string, unknown>, now);
    if (message?.type === "error") takeError(findings, message, now);
    // What went wrong on the way was mended.
    if (message?.type === "turn.completed") {
      delete findings.error;
      delete findings.throttled_until;
    }
  },
};

/**
 * Under a name of its own: what the owner has set for a server called parley would be mixed with it, and one that is a
 * program cannot have an address. Nobody is there to approve calls, and without the tools there is nothing to be done.
 */
export const CODEX_SERVER = "parley_run";
const SERVER = `mcp_servers.${CODEX_SERVER}`;

const serverArguments = (start: Start): string[] => codexServer(addressFor(start), start.program.env);

/** Our server, for one that runs with these variables. */
export const codexServer = (
  url: string,
  env: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): string[] => [
  ...["-c", `${SERVER}.url=${JSON.stringify(url)}`],
  ...["-c", `${SERVER}.bearer_token_env_var="PARLEY_TOKEN"`],
  ...["-c", `${SERVER}.default_tools_approval_mode="approve"`],
  ...["-c", `${SERVER}.required=true`],
  ...["-c", `${SERVER}.startup_timeout_sec=60`],
  ...Object.entries(headers).flatMap(([name, value]) => [
    ...["-c", `${SERVER}.http_headers.${name}=${JSON.stringify(value)}`],
  ]),
  ...(hasOwnServer(env) ? ["-c", "mcp_servers.parley.enabled=false"] : []),
];

/** As somebody else than the run is it would have the same tools once more. One that is not there cannot be turned off. */
function hasOwnServer(env: Readonly<Record<string, string>>): boolean {
  const folder = env.CODEX_HOME ?? join(env.HOME ?? homedir(), ".codex");
  try {
    return OWN_SERVER.test(readFileSync(join(folder, "config.toml"), "utf8"));
  } catch {
    // Then it has no settings, or says itself what is wrong with them.
    return false;
  }
}

function takeError(findings: Findings, { message }: Record<string, unknown>, now: number): void {
  findings.error = typeof message === "string" ? message : "The turn failed.";
  if (QUOTA.test(findings.error)) findings.throttled_until = now;
}
