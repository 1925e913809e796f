import { addressFor, type Dialect, type Findings, isSessionId, objectIn, type Start } from "./dialect.ts";

/** What it says on whichever stream when there is no such session. */
const LOST = "No conversation found with session ID";
/** Where it was given no prompt. */
const NOTHING_DEFERRED = "No deferred tool marker found";
const DEFERRED = "tool_deferred";
const SERVER = "parley";
/** As long as a hub may take to be back. */
const HOOK_TIMEOUT_S = 600;

/** Claude Code without a person: `claude -p`, its prompt on its standard input. */
export const claude: Dialect = {
  chooses_session: true,
  argv: (start) => [
    ...start.program.argv,
    ...["-p", "--output-format", "stream-json", "--verbose"],
    ...(start.session_id === null ? [] : [start.is_resumed ? "--resume" : "--session-id", start.session_id]),
    ...serverArguments(start),
    ...(start.program.approvals ? ["--settings", JSON.stringify(settings(start))] : []),
  ],
  read: (findings, line, { now }) => {
    if (line.includes(LOST)) findings.session_lost = true;
    if (line.includes(NOTHING_DEFERRED)) findings.nothing_deferred = true;
    const message = objectIn(line);
    if (message?.type === "system" && message.subtype === "init") takeSession(findings, message);
    if (message?.type === "rate_limit_event") takeLimit(findings, message);
    if (message?.type === "result") takeResult(findings, message, now);
  },
};

function serverArguments(start: Start): string[] {
  if (start.program.argv.includes("--mcp-config")) return [];
  const server = [...claudeServer(addressFor(start)), "--strict-mcp-config"];
  // With approvals nothing is allowed but by the hook.
  return start.program.approvals ? server : [...server, "--allowedTools", `mcp__${SERVER}`];
}

/** The hook that asks before every call. It fails closed, also where it is slow, and where the owner has turned hooks off. */
function settings({ launcher }: Start): object {
  const command = `exec '${launcher.replaceAll("'", `'\\''`)}' hook PreToolUse`;
  const hook = { type: "command", command, timeout: HOOK_TIMEOUT_S, onFailure: "block" };
  return { disableAllHooks: false, hooks: { PreToolUse: [{ hooks: [hook] }] } };
}

/** Our server. Its token is in its environment alone: arguments can be read by everybody on the machine. */
export function claudeServer(url: string, more: Readonly<Record<string, string>> = {}): string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
  const headers = { Authorization: "Bearer ${PARLEY_TOKEN}", ...more };
  return ["--mcp-config", JSON.stringify({ mcpServers: { [SERVER]: { type: "http", url, headers } } })];
}

function takeSession(findings: Findings, { session_id }: Record<string, unknown>): void {
  if (isSessionId(session_id)) findings.session_id = session_id;
}

function takeLimit(findings: Findings, { rate_limit_info }: Record<string, unknown>): void {
  const { status, resetsAt } = (rate_limit_info ?? {}) as { status?: unknown; resetsAt?: unknown };
  if (status === "rejected" && typeof resetsAt === "number") findings.throttled_until = resetsAt * 1000;
}

/** Success with `is_error` is none. */
function takeResult(findings: Findings, message: Record<string, unknown>, now: number): void {
  takeSession(findings, message);
  const { total_cost_usd, is_error, subtype, result, api_error_status, terminal_reason, stop_reason } = message;
  findings.deferred = terminal_reason === DEFERRED || stop_reason === DEFERRED;
  if (typeof total_cost_usd === "number") findings.cost_usd = total_cost_usd;
  if (api_error_status === 429) findings.throttled_until ??= now;
  if (is_error === true || (typeof subtype === "string" && subtype.startsWith("error")))
    findings.error = typeof result === "string" && result !== "" ? result : String(subtype);
}
