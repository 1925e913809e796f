import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { lastWords } from "./last-words.ts";

const REFUSALS: Readonly<Record<string, { status: number; error: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, error: "The headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: "The request took too long to arrive." },
};
const OTHERWISE = { status: 400, error: "This is not an HTTP request." };

/** What happens on a connection beside its requests. */
export class Connections {
  readonly #latest = new WeakMap<Duplex, ServerResponse>();
  readonly #open = new Set<Socket>();
  readonly #unread_ms: number;

  /** An answer of which nothing was taken for `unread_ms` is given up. */
  constructor(unread_ms: number) {
    this.#unread_ms = unread_ms;
  }

  /**
   * Serves a request once the answer to the one before it is out. Node would have them served all at once and keep the
   * answers: a client that sends a thousand and reads none costs gigabytes.
   */
  inTurn(request: IncomingMessage, response: ServerResponse, serve: () => Promise<void>): void {
    const { socket } = request;
    const earlier = this.#latest.get(socket);
    this.#latest.set(socket, response);
    if (!earlier || earlier.writableFinished) void serve();
    else earlier.once("close", () => socket.destroyed || void serve());
  }

  opened(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  /** Ends those on which nothing was ever sent. Browsers open some ahead, and to Node they are busy until they ask. */
  endUnused(): void {
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }

  /** To be told when all of an answer was written, which is not yet to say that anybody takes it. */
  written(response: ServerResponse): void {
    if (!response.writableEnded || response.writableFinished) return;
    // Node looks twice before it calls a connection silent. It sets another time for it with the next request.
    response.socket?.setTimeout(this.#unread_ms / 2);
  }

  /** Answers what never became a request with the same body that every other error has. */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const latest = this.#latest.get(socket);
    const answering = latest !== undefined && !latest.writableFinished;
    // In the middle of another answer these words would become a part of it.
    if (error.code === "ECONNRESET" || !socket.writable || (answering && latest.headersSent)) {
      socket.destroy();
      return;
    }
    const { status, error: sentence } = REFUSALS[error.code ?? ""] ?? OTHERWISE;
    const body = JSON.stringify({ error: sentence, code: "INVALID_REQUEST" });
    lastWords(socket, status, { "content-type": "application/json" }, body);
  }
}
