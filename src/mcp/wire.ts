import type { ServerResponse } from "node:http";
import type { RequestId } from "@modelcontextprotocol/server";
import { hit } from "../failpoints.ts";

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
  const answer = (): void => {
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      ...headers,
    });
    response.end(text, () => void hit("post.after_ack"));
  };
  const pause = hit("post.before_ack");
  if (pause) void pause.then(answer, () => response.destroy());
  else answer();
}

export interface Failure {
  code: number;
  message: string;
  data?: unknown;
}

export function answerError(
  response: ServerResponse,
  status: number,
  { code, message, data }: Failure,
  id: RequestId | null = null,
): void {
  const body = { jsonrpc: "2.0", id, error: { code, message, data } };
  answerJson(response, status, body, status === 405 ? { Allow: "GET, POST, DELETE" } : {});
}

/** Whether it asks what the hub speaks. That is the same in every space, so it is told whoever has a credential. */
export const discovers = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "method" in body && body.method === "server/discover";

/** The id to answer to, where the body is a single request that has one. */
export function idOf(body: unknown): RequestId | null {
  if (typeof body !== "object" || body === null || !("method" in body) || !("id" in body)) return null;
  return typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
}
