import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestId } from "@modelcontextprotocol/server";

export const sseFrame = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  // The client may be gone, or the stream it got before may already have been ended.
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

export interface Failure {
  code: number;
  message: string;
  data?: unknown;
}

export function answerError(
  response: ServerResponse,
  status: number,
  error: Failure,
  id: RequestId | null = null,
): void {
  answerJson(response, status, { jsonrpc: "2.0", id, error }, status === 405 ? { Allow: "GET, POST, DELETE" } : {});
}

/** The id to answer to, where the body is a single request that has one. */
export function idOf(body: unknown): RequestId | null {
  if (typeof body !== "object" || body === null || !("method" in body) || !("id" in body)) return null;
  return typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
}

/** A header that may stand only once. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
