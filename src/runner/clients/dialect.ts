import type { Program } from "../definitions.ts";

/** What is known of an attempt when its program is started. */
export interface Start {
  program: Program;
  kind: "trigger" | "worker" | "mail";
  name: string;
  session_key: string;
  /** Empty where it goes on with a call that it had put off. */
  prompt: string;
  /** Null for a new one of a client that chooses it itself. */
  session_id: string | null;
  is_resumed: boolean;
  /** Where the hub is reached. */
  url: string;
  /** What runs `parley`. */
  launcher: string;
}

/** What a client has said about itself. */
export interface Findings {
  session_id?: string;
  /** It does not know the session that it was to go on with. */
  session_lost?: boolean;
  /** Of its whole session so far, in dollars. */
  cost_usd?: number;
  /** It may not be asked before that. */
  throttled_until?: number;
  /** It says that it has failed, whatever its exit code. */
  error?: string;
  /** It has put a call off, and ended. */
  deferred?: boolean;
  /** It was to go on with a call that it had put off, and there is none. */
  nothing_deferred?: boolean;
}

/** How a client is started, and what is read from what it prints. */
export interface Dialect {
  /** Whether it takes the session id that it is given. */
  chooses_session: boolean;
  argv: (start: Start) => string[];
  /** Takes a line of its output into account. */
  read: (findings: Findings, line: string, context: { is_error: boolean; now: number }) => void;
}

/** It is stored, and is an argument of the program that goes on with it: what is anything else is not taken. */
export const isSessionId = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/.test(value);

/** Undefined for what is no object in JSON. */
export function objectIn(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    // What begins with a brace and can be parsed is an object.
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that only looks like a message.
    return undefined;
  }
}

/** Where a client finds the tools that it needs. */
export const addressFor = ({ kind, url }: Start): string =>
  `${url}/mcp/${kind === "trigger" ? "tasks+triggers" : kind === "worker" ? "tasks" : "mail"}`;
