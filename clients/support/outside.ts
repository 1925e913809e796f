/** The way out of the machine, closed: a proxy that refuses. Clients are told to use it for all that is not loopback. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export class Outside implements AsyncDisposable {
  readonly #server = createServer((_, response) => response.writeHead(502).end());

  async listen(): Promise<this> {
    this.#server.on("connect", (_, socket) => socket.end("HTTP/1.1 502 Nothing leaves this machine\r\n\r\n"));
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  /** For a client's environment. */
  get env(): Record<string, string> {
    // A server on a port of TCP has an address of that form.
    const proxy = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: "127.0.0.1,localhost" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
