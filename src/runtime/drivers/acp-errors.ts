import { RequestError } from "@agentclientprotocol/sdk";

/** What an agent answers about a session that it does not have, or cannot go on with. */
const SESSION_GONE = [-32_002, -32_601, -32_602, -32_603, -32_000];

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
  return new Error(`The program says: ${error.message}${details} (${error.code})`, { cause: error });
}
