import type { ServerResponse } from "node:http";
import { errorBody, ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import { endWith, isTooMuchToDiscard } from "./last-words.ts";

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export async function answer(response: ServerResponse, body: object, status = 200): Promise<void> {
  const text = JSON.stringify(body);
  const pause = hit("post.before_ack");
  if (pause) await pause;
  response.writeHead(status, { ...HEADERS, "content-length": Buffer.byteLength(text) });
  response.end(text, () => void hit("post.after_ack"));
}

/**
 * Translates an error. When it is not known whether a write happened there is no true
 * answer: the connection is dropped, and the caller finds out by repeating it with its key.
 */
export function answerError(response: ServerResponse, error: unknown, body: object = errorBody(error)): void {
  if (response.headersSent || (error instanceof ParleyError && error.code === "OUTCOME_UNKNOWN")) {
    response.destroy();
    return;
  }
  const text = JSON.stringify(body);
  const status = error instanceof ParleyError ? error.status : 500;
  const headers = { ...HEADERS, ...headersOf(error) };
  if (isTooMuchToDiscard(response.req)) endWith(response, status, headers, text);
  else {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
    response.end(text);
  }
}

function headersOf(error: unknown): Record<string, string> {
  if (!(error instanceof ParleyError)) return {};
  if (error.kind === "unauthenticated") return { "www-authenticate": "Bearer" };
  if (error.code === "FORBIDDEN") return { "www-authenticate": 'Bearer error="insufficient_scope"' };
  if (error.kind === "limited" && error.details?.retry_after !== undefined)
    return { "retry-after": String(error.details.retry_after) };
  if (error.code === "METHOD_NOT_ALLOWED") return { allow: String(error.details?.allow) };
  // The caller's next attempt has to go to whoever listens then.
  return error.code === "SHUTTING_DOWN" ? { connection: "close" } : {};
}
