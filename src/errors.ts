/**
 * The one error type that may cross a module boundary. Its kind decides the HTTP
 * status and the CLI's exit code; its code is registered here and means the same
 * at every door. Anything else that is thrown is a bug: it is logged in full and
 * the caller is told only "Internal error", and by which id it is found in the log.
 */
export const KINDS = {
  invalid: { status: 400, exit: 2 },
  unauthenticated: { status: 401, exit: 3 },
  forbidden: { status: 403, exit: 3 },
  not_found: { status: 404, exit: 4 },
  conflict: { status: 409, exit: 5 },
  gone: { status: 410, exit: 4 },
  limited: { status: 429, exit: 1 },
  /** Somebody else was asked, and it went wrong there. */
  failed: { status: 502, exit: 1 },
  unavailable: { status: 503, exit: 1 },
} as const;

export type ErrorKind = keyof typeof KINDS;

/** Every code a caller can meet, with the kind it belongs to. */
export const CODES = {
  INVALID_ARGUMENT: "invalid",
  INVALID_REQUEST: "invalid",
  INVALID_JSON: "invalid",
  INVALID_TEXT: "invalid",
  INVALID_SESSION_ID: "invalid",
  MISSING_SESSION_ID: "invalid",
  WATERMARK_INVALID: "invalid",
  BODY_TOO_LARGE: "invalid",
  CONTENT_TOO_LARGE: "invalid",
  MAIL_TO_SELF: "invalid",
  UNSUPPORTED_MEDIA_TYPE: "invalid",
  METHOD_NOT_ALLOWED: "invalid",
  UNAUTHENTICATED: "unauthenticated",
  NO_IDENTITY: "unauthenticated",
  FORBIDDEN: "forbidden",
  HOST_DENIED: "forbidden",
  ORIGIN_DENIED: "forbidden",
  FOLDER_UNSAFE: "forbidden",
  CALL_DENIED: "forbidden",
  TOOLS_OFF: "forbidden",
  NOT_FOUND: "not_found",
  UNKNOWN_TOOL: "not_found",
  UNKNOWN_SERVER: "not_found",
  UNKNOWN_RESOURCE: "not_found",
  UNKNOWN_TASK: "not_found",
  AGENT_NOT_FOUND: "not_found",
  SESSION_NOT_FOUND: "not_found",
  RECIPIENT_NOT_FOUND: "not_found",
  MAIL_NOT_FOUND: "not_found",
  THREAD_NOT_FOUND: "not_found",
  NOTICE_NOT_FOUND: "not_found",
  QUESTION_NOT_FOUND: "not_found",
  APPROVAL_NOT_FOUND: "not_found",
  PROPOSAL_NOT_FOUND: "not_found",
  CHECKPOINT_NOT_FOUND: "not_found",
  TASK_NOT_FOUND: "not_found",
  TRIGGER_NOT_FOUND: "not_found",
  SECTION_NOT_FOUND: "not_found",
  PLAN_TASK_NOT_FOUND: "not_found",
  CONFLICT: "conflict",
  TRIGGER_DISABLED: "conflict",
  SIGNED_IN_AS_OTHER: "conflict",
  ALREADY_DECIDED: "conflict",
  APPROVAL_STATE: "conflict",
  /** A person decides about the call first: it was not made, and may be made again afterwards. */
  APPROVAL_PENDING: "conflict",
  TASK_STATE: "conflict",
  LEASE_LOST: "conflict",
  VERSION_CONFLICT: "conflict",
  PLAN_CYCLE: "conflict",
  PLAN_BLOCKED: "conflict",
  RUNTIME_SUPERSEDED: "conflict",
  TURN_OVER: "conflict",
  NAME_TAKEN: "conflict",
  AMBIGUOUS_IDENTITY: "conflict",
  IDEMPOTENCY_CONFLICT: "conflict",
  WATERMARK_EXPIRED: "gone",
  SESSION_EXPIRED: "gone",
  OUTBOX_EXPIRED: "gone",
  NOTICE_CLOSED: "gone",
  NOTICE_CHANGED: "conflict",
  NEED_NOT_FOUND: "not_found",
  RATE_LIMITED: "limited",
  TOO_MANY_SUBSCRIPTIONS: "limited",
  TOO_MANY_SESSIONS: "limited",
  TOO_MANY_WAITS: "limited",
  LOOP_SLOWED: "limited",
  LOOP_STOPPED: "limited",
  REACTION_LOOP: "limited",
  TOO_MANY_NOTICES: "limited",
  TOO_MANY_QUESTIONS: "limited",
  TOO_MANY_APPROVALS: "limited",
  LIMIT_REACHED: "limited",
  TOOL_FAILED: "failed",
  /** It was being run when its runtime ended: nobody knows whether it was. */
  CALL_UNKNOWN: "failed",
  RUNTIME_AWAY: "unavailable",
  SERVER_AWAY: "unavailable",
  STORAGE_FULL: "unavailable",
  STORAGE_UNAVAILABLE: "unavailable",
  SHUTTING_DOWN: "unavailable",
  SECRET_KEY_WRONG: "unavailable",
  HUB_UNREACHABLE: "unavailable",
  OUTBOX_FULL: "unavailable",
  OUTPUT_FAILED: "unavailable",
  /** The write may or may not have happened. Doors drop the connection instead of answering. */
  OUTCOME_UNKNOWN: "unavailable",
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof CODES;

/** Statuses that differ from the one their kind gives. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  BODY_TOO_LARGE: 413,
  CONTENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  METHOD_NOT_ALLOWED: 405,
};

export class ParleyError extends Error {
  override readonly name = "ParleyError";
  readonly code: ErrorCode;
  /** Facts a program may act on, beside the sentence for people. */
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { details?: Record<string, unknown> }) {
    super(message, options);
    this.code = code;
    this.details = options?.details;
  }

  get kind(): ErrorKind {
    return CODES[this.code];
  }

  get status(): number {
    return STATUS[this.code] ?? KINDS[this.kind].status;
  }

  get exitCode(): number {
    return KINDS[this.kind].exit;
  }
}

/** Whether it says that there is no space to work in, whoever asks and for whatever. */
export const isAboutSpace = (error: unknown): error is ParleyError =>
  error instanceof ParleyError &&
  ["MISSING_SESSION_ID", "INVALID_SESSION_ID", "SESSION_NOT_FOUND", "SESSION_EXPIRED"].includes(error.code);

/** The common error body of REST, and of an MCP tool's error result. */
export interface ErrorBody {
  error: string;
  code: string;
  [detail: string]: unknown;
}

export function errorBody(error: unknown): ErrorBody {
  if (error instanceof ParleyError) return { ...error.details, error: error.message, code: error.code };
  return { error: internalSentence(error), code: "INTERNAL" };
}

const failures = new WeakMap<object, string>();

/** The same in the log and in what the caller is told. */
export function failureId(error: object): string {
  const known = failures.get(error) ?? crypto.randomUUID().slice(0, 8);
  failures.set(error, known);
  return known;
}

export const internalSentence = (error: unknown): string =>
  typeof error === "object" && error !== null
    ? `Internal error. The hub's log has it as ${failureId(error)}.`
    : "Internal error.";

/** Why the hub will not start, in one sentence. The process ends with code 78. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
  readonly exitCode = 78;
  /** What to run about it, such as `stop`; whoever tells of it knows how it is typed here. */
  readonly command: string | undefined;

  constructor(message: string, options?: ErrorOptions & { command?: string }) {
    super(message, options);
    this.command = options?.command;
  }
}
