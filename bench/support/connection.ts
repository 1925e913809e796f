import { connect, type Socket } from "node:net";

const TIMEOUT_MS = 60_000;

export interface Response {
  /** Headers and body as they came. */
  text: string;
  status: number;
}

/**
 * A keep-alive connection that sends bytes and waits for the whole answer. Far cheaper than `node:http`: the load must
 * not be what is measured.
 */
export class Connection implements Disposable {
  readonly #socket: Socket;
  #text = "";
  #answered: ((response: Response) => void) | undefined;
  #failed: (error: Error) => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no answer came")));
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#hear(text));
    socket.on("error", (error) => this.#failed(error));
    socket.on("close", () => this.#failed(new Error("the server closed the connection")));
  }

  static async open(port: number): Promise<Connection> {
    return new Connection(await openSocket(port));
  }

  /** Calls back instead of returning a promise, which would cost the load more than the rest of it. */
  send(request: Buffer, answered: (response: Response) => void, failed: (error: Error) => void): void {
    this.#answered = answered;
    this.#failed = failed;
    if (this.#socket.destroyed) failed(new Error("the server had closed the connection"));
    else this.#socket.write(request);
  }

  ask(request: Buffer): Promise<Response> {
    return new Promise((resolve, reject) => this.send(request, resolve, reject));
  }

  [Symbol.dispose](): void {
    this.#failed = () => {};
    this.#socket.destroy();
  }

  #hear(text: string): void {
    this.#text = this.#text === "" ? text : this.#text + text;
    if (!isWhole(this.#text)) return;
    const response = { text: this.#text, status: Number(this.#text.slice(9, 12)) };
    this.#text = "";
    this.#answered?.(response);
  }
}

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  return /\r\ntransfer-encoding: *chunked/i.test(text) ? text.endsWith("\r\n0\r\n\r\n") : true;
}

/** Sends `count` requests in all, on each connection always its own and one at a time; every answer has to be 200. */
export function fire(connections: readonly Connection[], requests: readonly Buffer[], count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answered = 0;
    const next = (connection: Connection, request: Buffer): void => {
      if (sent === count) return;
      sent += 1;
      connection.send(
        request,
        ({ status, text }) => {
          if (status !== 200) return reject(new Error(`an answer was not 200: ${text.slice(0, 500)}`));
          answered += 1;
          if (answered === count) resolve();
          else next(connection, request);
        },
        reject,
      );
    };
    for (const [at, connection] of connections.entries()) next(connection, requests[at] ?? Buffer.alloc(0));
  });
}
