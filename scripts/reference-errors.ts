import { CODES, type ErrorCode, KINDS, ParleyError } from "../src/errors.ts";
import { table } from "./reference-fields.ts";

/** When a caller meets it and what to do. A new code needs its sentence here before the types check. */
const MEANINGS: Record<ErrorCode, string> = {
  INVALID_ARGUMENT: "An argument is missing, unknown or does not fit. The sentence names it.",
  INVALID_REQUEST:
    "It is not HTTP, its address cannot be read, its headers are too large or it took too long to arrive.",
  INVALID_JSON: "The body is not JSON, ended early, is nested deeper than 64 levels or holds more than 50,000 values.",
  INVALID_TEXT:
    "A text contains NUL or half of a surrogate pair, the body is not UTF-8, or the arguments are nested deeper than 32 levels.",
  INVALID_SESSION_ID: "`X-Session-ID` is neither `main`, a UUID nor `sess_…`.",
  MISSING_SESSION_ID: "The token may use several open spaces and none of them is `main`: name one with `X-Session-ID`.",
  WATERMARK_INVALID: "The position is ahead of everything written. Comes with `last_id` and `epoch`.",
  BODY_TOO_LARGE: "The request's body is larger than 4 MiB.",
  CONTENT_TOO_LARGE: "The message is larger than 1 MiB.",
  MAIL_TO_SELF: "You are among the recipients, or there is nobody else in the thread.",
  UNSUPPORTED_MEDIA_TYPE: "The body is compressed. Send it as it is.",
  METHOD_NOT_ALLOWED:
    "There is something at this address, but not for this method. The header `Allow` names those there are.",
  UNAUTHENTICATED: "There is no token, or it is malformed, unknown or revoked.",
  NO_IDENTITY:
    "Only from the command line: an agent runs it and nothing says which one, or what says it cannot be trusted.",
  FORBIDDEN: "The token's roles may not do this. The sentence names the roles that may.",
  HOST_DENIED: "The `Host` header is none the hub answers to. `PARLEY_ALLOWED_HOSTS` adds names.",
  ORIGIN_DENIED: "A browser sent it from a page of another origin.",
  NOT_FOUND: "There is nothing at this address, or no such thing.",
  UNKNOWN_TOOL: "There is no such tool, or it is not part of this facet.",
  UNKNOWN_SERVER: "There is no such facet or server.",
  UNKNOWN_RESOURCE: "There is no such resource, or it is not yours. Both look the same.",
  UNKNOWN_TASK: "There is no such MCP task, it ended more than 30 days ago, or it is not yours. All look the same.",
  AGENT_NOT_FOUND: "There is no agent of that name in the space, or it is not yours to see.",
  SESSION_NOT_FOUND: "There is no such space, or you have no business in it. Both look the same.",
  RECIPIENT_NOT_FOUND: "A recipient is not here. Comes with `recipient` and the nearest name; nothing was sent.",
  MAIL_NOT_FOUND: "There is no such mail in this mailbox, or it is somebody else's. Both look the same.",
  THREAD_NOT_FOUND: "There is no such thread, or you are not in it. Both look the same.",
  NOTICE_NOT_FOUND: "There is no such notice here, or it is another agent's. Both look the same.",
  QUESTION_NOT_FOUND: "There is no such question here, or it is not yours to take back.",
  APPROVAL_NOT_FOUND: "There is no such approval here, or it is not yours.",
  PROPOSAL_NOT_FOUND: "There is no such proposed rule here.",
  CHECKPOINT_NOT_FOUND: "There is no such checkpoint here.",
  TASK_NOT_FOUND: "There is no such task here.",
  TASK_STATE: "The task is in another state than this needs. Comes with `status`. Nothing was changed.",
  LEASE_LOST: "The task is not, or no longer, yours: its lease ran out, or somebody else has it. Nothing was changed.",
  RUNTIME_SUPERSEDED: "Another runtime of the agent was started after this one. Nothing was changed.",
  TURN_OVER: "The agent has no such turn, or it has ended. Nothing was changed.",
  TRIGGER_NOT_FOUND: "There is no such trigger here.",
  SECTION_NOT_FOUND:
    "There is no such section in the draft, or no such version of it. The sentence names the nearest one.",
  PLAN_TASK_NOT_FOUND:
    "There is no such task in the plan. Of a batch the sentence names the place, and nothing was added.",
  VERSION_CONFLICT:
    "Somebody else has written the section since. Comes with `current_version`, `current`, `yours` and, where both began from one version, `merged` (`content`, `conflicts`). Nothing was written.",
  PLAN_CYCLE: "Tasks of the plan would depend on themselves, or be part of themselves. Nothing was changed.",
  PLAN_BLOCKED:
    "The task of the plan depends on others that are not completed. Comes with `blocked_by`. Nothing was changed.",
  TRIGGER_DISABLED: "The trigger is disabled, so it was not fired.",
  ALREADY_DECIDED:
    "Somebody was first. Comes with `choice`, `settled_by` and `settled_at`, for an approval with `outcome`, `decided_by` and `decided_at`. Nothing was changed.",
  APPROVAL_PENDING:
    "A person decides about this call first. It was not made: make it again, with exactly the same arguments, once it is approved. Comes with `approval_id`.",
  APPROVAL_STATE: "The approval is in another state than this needs. Comes with `state`. Nothing was changed.",
  NOTICE_CHANGED: "It says something else than what was decided about. Nothing was changed: look at it again.",
  NEED_NOT_FOUND: "Nothing with that id waits for you.",
  NOTICE_CLOSED:
    "The notice expired or was withdrawn: nobody waits for an answer. Comes with `state` and `settled_at`.",
  TOO_MANY_NOTICES:
    "Twenty notices of this agent, or of who acts for it, wait for a person already. Withdraw one, or wait for an answer.",
  TOO_MANY_QUESTIONS:
    "Twenty questions of this agent wait for an answer already. Withdraw one, or wait. Comes with `limit`.",
  TOO_MANY_APPROVALS:
    "Twenty calls of this agent, or twenty rules of one proposer, wait for a person already. Comes with `limit`.",
  LIMIT_REACHED:
    "You have made as many of these as one principal may: spaces, agents, tokens, codes to sign in or followed topics. Comes with `limit`.",
  CONFLICT: "It is so already, or was ended already. Nothing was changed.",
  NAME_TAKEN: "The name belongs to somebody else, looks too much like one that does, or would speak for somebody else.",
  SIGNED_IN_AS_OTHER:
    "Only at `POST /login`: the link is for another person than the one who is signed in. Comes with `principal`; the link is not used up. With `replace` it goes on.",
  AMBIGUOUS_IDENTITY:
    "A session, a name and a token do not mean the same agent, or another session is that agent just now. The sentence names both.",
  IDEMPOTENCY_CONFLICT: "The key was used for a call with other arguments.",
  WATERMARK_EXPIRED: "What followed the position was purged. Comes with `first_id`; read from the start.",
  SESSION_EXPIRED: "The space's time is over, or it was deleted.",
  RATE_LIMITED:
    "Too many calls or bytes, answers left unread, or more mail to one recipient or thread than anybody reads. Comes with `retry_after` in seconds, and the header `Retry-After`.",
  TOO_MANY_SUBSCRIPTIONS: "Too many streams of this principal, or too many resources on one stream.",
  TOO_MANY_SESSIONS: "Too many MCP sessions are open and in use.",
  TOO_MANY_WAITS: "32 calls of this principal wait for the same already. End one first.",
  LOOP_SLOWED: "Mail has gone round among agents many times. Comes with `retry_after` in seconds.",
  REACTION_LOOP: "What the call led to would not have ended; nothing was written. It is a fault of the hub: report it.",
  LOOP_STOPPED: "Mail went round among agents without end. A person can let them go on with `mail_release`.",
  CALL_DENIED:
    "The policy denies what you called, or somebody did: the sentence and `policy_code` (-32950 where the turn ends with it, -32951, -32953 where the policy failed) say so. It was not run.",
  TOOLS_OFF:
    "The agent's tools are off until a person lets it use them (`agent_tools`). It can speak and end its turn.",
  TOOL_FAILED: "The tool of an agent's server was run and failed: `output` is what it said.",
  CALL_UNKNOWN:
    "The agent's runtime ended while it ran the tool: nobody knows whether it did. Look before you call it again, with a new key.",
  RUNTIME_AWAY: "No runtime runs the agent, or it did not take the call. Nothing was run. Start it and try again.",
  SERVER_AWAY: "The agent's runtime has this server, which is not there just now. Nothing was run. Try again.",
  STORAGE_FULL: "The disk is full. Nothing was written; reads go on. Free space and try again.",
  STORAGE_UNAVAILABLE:
    "The database is out of reach. Nothing was written. Try again. From the command line also: the system does not let it use a file.",
  SHUTTING_DOWN: "The hub is stopping. Try again when it is back.",
  SECRET_KEY_WRONG:
    "The file with the key of the hub's secrets is missing, damaged, or another node's. Nothing was changed.",
  OUTBOX_FULL: "Only from the command line: a hundred operations wait for the hub already. This one was not kept.",
  OUTBOX_EXPIRED: "Only from the command line: it waited in the outbox for a week and was not sent.",
  OUTPUT_FAILED:
    "Only from the command line: its answer cannot be written to stdout, since the disk is full or broken.",
  FOLDER_UNSAFE:
    "Only from the command line: other users could change the data folder, or a link lies in the place of a file.",
  HUB_UNREACHABLE: "Only from the command line: there is no hub at that address.",
  OUTCOME_UNKNOWN:
    "A write may or may not have happened. Never sent: the hub drops the connection. Repeat the call with the same idempotency key.",
};

const INTRODUCTION = `Every error has a **code**, which is the same at every door, and a **kind**, which gives the HTTP status and the exit
code of the command line. Beside them stands one sentence for people; do not match on it.

- HTTP: the status below and \`{"error": "<sentence>", "code": "<CODE>"}\`, with further fields where the table names them.
- MCP, in a tool: a result with \`isError\` whose text is that same JSON.
- MCP, before a tool runs: a JSON-RPC error with the code in \`data.code\`.
- Command line: the sentence on stderr, or \`{"error": {"code", "message"}}\` where the output is JSON.

A bug of the hub is told as \`INTERNAL\` with status 500 and logged whole; the sentence
names the id of the line in the log.`;

const OTHER_EXITS = [
  ["0", "It worked."],
  ["1", "Anything else, such as a bug, a limit or a hub out of reach."],
  ["78", "The hub refuses to start, and trying again will not help. The sentence says why."],
  ["130", "Interrupted by Ctrl-C."],
];

export function errorsReference(): string {
  // Listed above with the codes as its keys.
  const codes = Object.keys(CODES) as ErrorCode[];
  const rows = codes.map((code) => {
    const { kind, status } = new ParleyError(code, "");
    return [`\`${code}\``, kind, String(status), MEANINGS[code]];
  });
  const kinds = Object.entries(KINDS).map(([kind, { status, exit }]) => [kind, String(status), String(exit)]);
  return [
    "# Errors",
    INTRODUCTION,
    "## Codes",
    table(["code", "kind", "status", "meaning"], rows),
    "## Kinds",
    table(["kind", "HTTP status", "exit code"], kinds),
    "## Other exit codes",
    table(["exit code", "meaning"], OTHER_EXITS),
  ].join("\n\n");
}
