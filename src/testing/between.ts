/** For end-to-end tests: something between a command line and its hub that can hold an answer back. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Passed {
  method: string;
  path: string;
  status: number;
}

/** Forwards to the hub. `before` is asked when an answer has come and not yet been passed on. */
export class Between implements AsyncDisposable {
  readonly passed: Passed[] = [];
  readonly #server: Server;
  #to: string;
  before: (passed: Passed, nth: number) => Promise<void> | void = () => {};

  private constructor(to: string) {
    this.#to = to;
    this.#server = createServer((incoming, outgoing) => {
      const { method = "", url: path = "", headers } = incoming;
      const { host: _host, ...kept } = headers;
      const asked = request(new URL(path, this.#to), { method, headers: kept, agent: false });
      asked.on("response", (answer) => void this.#pass({ method, path }, answer, outgoing));
      asked.on("error", () => outgoing.destroy());
      incoming.pipe(asked);
    });
    // Closed as unused by a busy machine, a connection may be one on which the next request is on its way.
    this.#server.keepAliveTimeout = 0;
  }

  async #pass(asked: Omit<Passed, "status">, answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of answer) chunks.push(chunk);
    } catch {
      // The hub died. Whoever asked sees what they would see without us.
      outgoing.destroy();
      return;
    }
    const passed = { ...asked, status: answer.statusCode ?? 0 };
    this.passed.push(passed);
    await this.before(passed, this.passed.length);
    outgoing.writeHead(passed.status, answer.headers);
    outgoing.end(Buffer.concat(chunks));
  }

  static async open(to: string): Promise<Between> {
    const proxy = new Between(to);
    await new Promise<void>((done) => proxy.#server.listen(0, "127.0.0.1", done));
    return proxy;
  }

  get url(): string {
    // It listens on a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The hub is elsewhere now. */
  lead(to: string): void {
    this.#to = to;
  }

  /** Every connection is lost, and so is what was on its way. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
