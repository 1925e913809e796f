/** HTTP by hand, for what no client sends: foreign Host headers, half requests, bytes that are no text. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  json: any;
}

export class RawConnection implements Disposable {
  readonly socket: Socket;
  /** Resolves when the hub has closed it. */
  readonly closed: Promise<void>;
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        resolve();
        this.#wake();
      });
    });
    // A connection that is cut is what some tests are about; `closed` tells.
    socket.on("error", () => this.#wake());
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Everything received and not yet taken by `answer`. */
  get received(): string {
    return this.#received.toString("latin1");
  }

  /** The next whole answer. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take();
      if (answer) return answer;
      if (this.socket.destroyed) throw new Error(`closed without an answer: ${this.received.slice(0, 200)}`);
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #take(): RawAnswer | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...lines] = this.#received.subarray(0, end).toString("latin1").split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const body = this.#received.subarray(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    this.#received = this.#received.subarray(end + 4 + length);
    const text = body.toString("utf8");
    const json = headers["content-type"]?.startsWith("application/json") && text ? JSON.parse(text) : undefined;
    return { status: Number(first.split(" ")[1]), headers, text, json };
  }
}

/** One request of exactly these lines, and its answer. */
export async function rawRequest(url: string, lines: readonly string[], body = ""): Promise<RawAnswer> {
  using connection = await RawConnection.open(url);
  connection.send(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return await connection.answer();
}
