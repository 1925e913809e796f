import type { Socket } from "node:net";
import { openSocket } from "./connection.ts";

const AT_ONCE = 50;
const TIMEOUT_MS = 60_000;

/** Raw connections that hold an event stream open each, and when each was told of something. */
export class Listeners implements Disposable {
  readonly #sockets: Socket[] = [];
  #heard: (text: string) => void = () => {};

  /** Every stream has sent its first frame when this resolves. */
  static async open(port: number, requests: readonly Buffer[]): Promise<Listeners> {
    const listeners = new Listeners();
    for (let from = 0; from < requests.length; from += AT_ONCE)
      await Promise.all(requests.slice(from, from + AT_ONCE).map((request) => listeners.#listen(port, request)));
    return listeners;
  }

  /** Does something of which every listener is told once; how many milliseconds after its start each was told. */
  told(cause: () => Promise<unknown>): Promise<{ times: number[]; frame: string }> {
    return new Promise((resolve, reject) => {
      const times: number[] = [];
      const late = setTimeout(
        () => reject(new Error(`${times.length} of ${this.#sockets.length} were told`)),
        TIMEOUT_MS,
      );
      const started = performance.now();
      this.#heard = (text) => {
        times.push(performance.now() - started);
        if (times.length < this.#sockets.length) return;
        clearTimeout(late);
        resolve({ times, frame: unchunked(text) });
      };
      cause().catch(reject);
    });
  }

  /** Whatever comes on any of them, as it comes. */
  hear(listener: (text: string) => void): void {
    this.#heard = listener;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(port: number, request: Buffer): Promise<void> {
    const socket = await openSocket(port);
    this.#sockets.push(socket);
    socket.setEncoding("latin1");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(() => reject(new Error("a stream was not opened")), TIMEOUT_MS);
    let opening = "";
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`a stream was closed: ${opening}`)));
    const open = (text: string): void => {
      opening += text;
      if (!/^HTTP\/1.1 200.*\r\n\r\n.*\n\n/s.test(opening)) return;
      socket.off("data", open);
      // A frame that says something; the rest keeps the connection alive.
      socket.on("data", (text: string) => text.includes("data:") && this.#heard(text));
      resolve();
    };
    socket.on("data", open);
    socket.write(request);
    await promise.finally(() => clearTimeout(late));
  }
}

/** What a chunk of HTTP's chunked encoding holds. */
const unchunked = (text: string): string => text.slice(text.indexOf("\r\n") + 2, text.lastIndexOf("\r\n"));
