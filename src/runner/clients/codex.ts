import { addressFor, type Dialect, type Findings, objectIn, type Start } from "./dialect.ts";

const LOST = "no rollout found";
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
    if (message?.type === "thread.started" && typeof message.thread_id === "string")
      findings.session_id = message.thread_id;
    if (message?.type === "turn.failed") takeError(findings, (message.error ?? {}) as Record<string, unknown>, now);
    if (message?.type === "error") takeError(findings, message, now);
    // What went wrong on the way was mended.
    if (message?.type === "turn.completed") {
      delete findings.error;
      delete findings.throttled_until;
    }
  },
};

const serverArguments = (start: Start): string[] => [
  ...["-c", `mcp_servers.parley.url=${JSON.stringify(addressFor(start))}`],
  ...["-c", 'mcp_servers.parley.bearer_token_env_var="PARLEY_TOKEN"'],
];

function takeError(findings: Findings, { message }: Record<string, unknown>, now: number): void {
  findings.error = typeof message === "string" ? message : "The turn failed.";
  if (QUOTA.test(findings.error)) findings.throttled_until = now;
}
