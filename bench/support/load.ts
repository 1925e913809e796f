import type { Server } from "./child.ts";
import { Connection, fire } from "./connection.ts";

/** A server and what is sent to it, over and over, on as many keep-alive connections as there are requests. */
export class Load {
  readonly server: Server;
  readonly #requests: readonly Buffer[];

  constructor(server: Server, requests: readonly Buffer[]) {
    this.server = server;
    this.#requests = requests;
  }

  /** Microseconds of the server's CPU that a request takes. */
  cpu(count: number): Promise<number> {
    return this.during(count, async (fire) => {
      const before = await this.server.ask<number>("cpu");
      await fire();
      return ((await this.server.ask<number>("cpu")) - before) / count;
    });
  }

  /** The connections are opened and used once before; a server closes those that idle while the other side is measured. */
  async during<T>(count: number, measure: (fire: () => Promise<void>) => Promise<T>): Promise<T> {
    using opened = new DisposableStack();
    const opening = this.#requests.map(async () => opened.use(await Connection.open(this.server.port)));
    const connections = await Promise.all(opening);
    await fire(connections, this.#requests, connections.length);
    return await measure(() => fire(connections, this.#requests, count));
  }
}
