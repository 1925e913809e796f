import { RequestError } from "@agentclientprotocol/sdk";
import { Throttled } from "../throttled.ts";

/** What an agent answers about a session that it does not have, or cannot go on with. */
const SESSION_GONE = [-32_002, -32_601, -32_602, -32_603, -32_000];

/** The protocol has no code for a quota: agents pass on the words of their model's endpoint. */
const QUOTA = /\b429\b|rate.?limit|usage limit|quota/i;
/** Claude Code says so when it can go on. */
const RESETS_AT = /\|(\d{10})\b/;

/** The agent's own words for why not; a program that is gone, or late, is another matter. */
export function notThere(error: unknown): false {
  const { cause } = error instanceof Error ? error : {};
  if (cause instanceof RequestError && SESSION_GONE.includes(cause.code)) return false;
  throw error;
}

/** What the agent has against a request, as people are told it. */
export function wordsOf(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { data } = error;
  const details = typeof data === "object" && data !== null && "details" in data ? `: ${String(data.details)}` : "";
  const says = `The program says: ${error.message}${details} (${error.code})`;
  if (!QUOTA.test(says)) return new Error(says, { cause: error });
  return new Throttled(says, { until: Number(RESETS_AT.exec(says)?.[1] ?? 0) * 1000, cause: error });
}
