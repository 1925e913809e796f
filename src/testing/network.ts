/** A network between a hub and its PostgreSQL that can stop carrying anything, without a word to either. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export class Network implements AsyncDisposable {
  /** How long each piece of data takes, either way. */
  latency_ms = 0;
  readonly #target: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #stranded = new Set<Socket>();
  #silent = false;

  /** Between us and what `url` names. */
  static async to(url: string): Promise<Network> {
    const network = new Network(new URL(url));
    await once(network.#server.listen(0, "127.0.0.1"), "listening");
    return network;
  }

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#carry(near));
  }

  /** The same as the target, by way of this network. */
  get url(): string {
    const url = new URL(this.#target);
    // `address` is a text only for pipes.
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Nothing gets through any more, in either direction: not even that a connection was closed. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was held back arrives. */
  resume(): void {
    this.#silent = false;
    for (const socket of this.#sockets) if (!this.#stranded.has(socket)) socket.resume();
  }

  /** The connections of now stay silent for good; new ones work. */
  strand(): void {
    for (const socket of this.#sockets) this.#stranded.add(socket.pause());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(near: Socket): void {
    const far = connect({ port: Number(this.#target.port), host: this.#target.hostname, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (data) => void this.#pass(to, data));
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => this.#sockets.delete(from));
      if (this.#silent) from.pause();
    }
  }

  async #pass(to: Socket, data: Buffer): Promise<void> {
    if (this.latency_ms > 0) await pause(this.latency_ms);
    to.write(data);
  }
}
