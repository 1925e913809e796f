import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

const REFUSALS: Readonly<Record<string, { status: string; error: string }>> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", error: "The headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", error: "The request took too long to arrive." },
};
const OTHERWISE = { status: "400 Bad Request", error: "This is not an HTTP request." };

/** What happens on a connection beside its requests. */
export class Connections {
  readonly #latest = new WeakMap<Duplex, ServerResponse>();

  /**
   * Serves a request once the answer to the one before it is out. Node would have them served all at once and keep the
   * answers: a client that sends a thousand and reads none costs gigabytes.
   */
  inTurn(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const { socket } = request;
    const earlier = this.#latest.get(socket);
    this.#latest.set(socket, response);
    if (!earlier || earlier.writableFinished) serve();
    else earlier.once("close", () => socket.destroyed || serve());
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
    const headers = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
  }
}
