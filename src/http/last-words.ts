import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** For the last words to arrive; then the connection is closed, whether or not the other side closes it too. */
const GRACE_MS = 1000;
/** What is left of a body that nobody wants is read as long as it is no more than this: the connection can then go on. */
const MOST_DISCARDED = 64 * 1024;

/**
 * Answers and closes the connection, without reading anything more of what its client sends. Node would read all of it,
 * which costs whoever sends it as much as it costs us.
 */
export function lastWords(socket: Duplex, status: number, headers: Record<string, string>, body: string): void {
  socket.pause();
  const lines = Object.entries({ ...headers, connection: "close", "content-length": Buffer.byteLength(body) });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  const over = setTimeout(() => socket.destroy(), GRACE_MS);
  socket.once("close", () => clearTimeout(over));
}

/** Whether more of the request is still to come than is worth reading. */
export function isTooMuchToDiscard(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > MOST_DISCARDED;
}

/** Ends the exchange by last words, as its status and what it is counted as say. */
export function endWith(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  const { socket } = response;
  response.statusCode = status;
  if (socket) lastWords(socket, status, headers, body);
}
