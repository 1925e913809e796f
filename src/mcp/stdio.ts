import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Address, HubAddress } from "./stdio/hub-address.ts";
import { HubHttp, NoAnswer } from "./stdio/hub-http.ts";
import { Keeper } from "./stdio/keeper.ts";
import { Legacy } from "./stdio/legacy.ts";
import { linesOf, writerTo } from "./stdio/lines.ts";
import { isRequest, type Message, parseMessage, revisionOf, type Write } from "./stdio/message.ts";
import { Modern } from "./stdio/modern.ts";

export interface StdioOptions {
  /** Where the hub is just now; undefined while there is none. */
  find: () => Address | undefined;
  /** The client's token as it is now, where it has one that is replaced. */
  renewed?: (() => string | undefined) | undefined;
  facets?: readonly string[] | undefined;
  /** The space to act in, where the token is good for several. */
  space?: string | undefined;
  /** What leads to all that the client does. */
  cause?: string | undefined;
  /** Which of a trigger's sessions this is: the tasks that it makes are awaited by that one. */
  session_key?: string | undefined;
  /** Why a message of the client's is not sent, where it is not. */
  refuses?: ((message: object) => string | undefined) | undefined;
  input: Readable;
  output: Writable;
}

/** How long requests under way may take to be answered after the client has stopped asking. */
const LAST_WORDS_MS = 10_000;

/**
 * Serves MCP on `input` and `output` by forwarding each line to the hub, whichever era the client speaks. The hub may
 * be restarted meanwhile, and elsewhere; the client does not notice. Resolves when the client has closed `input`.
 */
export async function forwardStdio(options: StdioOptions): Promise<void> {
  const { find, renewed, facets, space, cause, session_key, refuses, ...io } = options;
  const hub = new HubAddress(find, renewed);
  const http = new HubHttp(hub, `/mcp${facets ? `/${facets.map(encodeURIComponent).join("+")}` : ""}`, {
    ...(space && { "X-Session-ID": space }),
    ...(cause && { "X-Parley-Cause": cause }),
  });
  const forwarder = new Forwarder(http, writerTo(io.output), new Keeper(http, session_key), refuses);
  for await (const line of linesOf(io.input)) if (line.trim()) forwarder.take(line);
  await forwarder.finish();
}

class Forwarder {
  readonly #write: Write;
  readonly #modern: Modern;
  readonly #legacy: Legacy;
  readonly #keeper: Keeper;
  readonly #refuses: StdioOptions["refuses"];
  readonly #under_way = new Set<Promise<void>>();

  constructor(http: HubHttp, write: Write, keeper: Keeper, refuses: StdioOptions["refuses"]) {
    this.#refuses = refuses;
    this.#write = (message) => {
      keeper.answered(message);
      return write(message);
    };
    this.#keeper = keeper;
    this.#modern = new Modern(http, this.#write);
    this.#legacy = new Legacy(http, this.#write);
  }

  /** Does not wait for the answer: requests may overtake each other. */
  take(line: string): void {
    const work = this.#forward(line);
    this.#under_way.add(work);
    void work.finally(() => this.#under_way.delete(work));
  }

  async finish(): Promise<void> {
    this.#modern.stop();
    await Promise.race([Promise.all(this.#under_way), sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    this.#keeper.stop();
    await this.#legacy.stop();
  }

  async #forward(line: string): Promise<void> {
    const message = parseMessage(line);
    if (!message) return this.#write(failure(null, -32700, "The line is not a JSON-RPC message."));
    const why = this.#refuses?.(message);
    if (why !== undefined)
      return isRequest(message) ? this.#write(failure(message.id, 40_300, why, "FORBIDDEN")) : undefined;
    try {
      if (message.method === "notifications/cancelled" && this.#modern.cancel(message.params?.requestId)) return;
      await (revisionOf(message) === undefined ? this.#legacy : this.#modern).forward(this.#keeper.asked(message));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // Nobody waits for an answer to a notification; the next request will be told the same.
      if (isRequest(message)) await this.#write(failure(message.id, error.status * 100, error.message, error.code));
    }
  }
}

const failure = (id: Message["id"], code: number, message: string, word?: string): Message => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message, ...(word !== undefined && { data: { code: word } }) },
});
