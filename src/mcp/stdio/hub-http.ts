import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { eventsOf } from "../../client/sse.ts";
import type { ErrorCode } from "../../errors.ts";
import type { HubAddress } from "./hub-address.ts";
import { type Message, parseMessage } from "./message.ts";

/** How long a hub that cannot be reached is tried again before the client is told. */
const PATIENCE_MS = 3000;
const FIRST_PAUSE_MS = 100;
export const LONGEST_PAUSE_MS = 5000;

/** Why a message got no answer. */
export class NoAnswer extends Error {
  readonly code: ErrorCode | string;
  readonly status: number;

  constructor(
    code: ErrorCode | string,
    message: string,
    { status = 503, cause }: { status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }

  /** It never got there, so it may be sent again whatever it is. */
  get unsent(): boolean {
    return this.code === "HUB_UNREACHABLE";
  }

  /** It may have got there. */
  get lost(): boolean {
    return this.code === "OUTCOME_UNKNOWN";
  }
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: IncomingMessage;
}

export interface Sending {
  method: "POST" | "GET" | "DELETE";
  headers?: Record<string, string>;
  /** A message of MCP, or the arguments of a tool. */
  message?: Message | object;
  signal?: AbortSignal;
  /** How long to try while the hub cannot be reached. */
  patience_ms?: number | undefined;
}

interface Target {
  at: string;
  origin: string;
  options: RequestOptions;
  request: (options: RequestOptions) => ClientRequest;
}

/** Plain `node:http`: the global `fetch` takes longer to load than the hub to answer. */
export class HubHttp {
  readonly #hub: HubAddress;
  readonly #path: string;
  readonly #headers: Record<string, string>;
  /** Where it last was: to take an address apart costs as much as to send a request there. */
  #target: Target | undefined;

  constructor(hub: HubAddress, path: string, headers: Record<string, string>) {
    this.#hub = hub;
    this.#path = path;
    this.#headers = headers;
  }

  /** The same for another address of the hub. */
  at(path: string): HubHttp {
    return new HubHttp(this.#hub, path, this.#headers);
  }

  /** Tries again while the hub cannot be reached, and if `repeatable` also when the answer got lost. */
  async reach(sending: Sending, repeatable: boolean): Promise<Reply> {
    const deadline = performance.now() + (sending.patience_ms ?? PATIENCE_MS);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS))
      try {
        return await this.send(sending);
      } catch (error) {
        const again = error instanceof NoAnswer && (error.unsent || (error.lost && repeatable));
        if (!again || performance.now() + pause > deadline) throw error;
        await sleep(pause, undefined, { ...(sending.signal && { signal: sending.signal }) });
      }
  }

  async send({ method, headers, message, signal }: Sending): Promise<Reply> {
    const route = this.#hub.route();
    if (!route) throw new NoAnswer("HUB_UNREACHABLE", "The Parley hub is not running.");
    const { token, by, isUnread } = route;
    const { origin, options, request } = this.#targetAt(route.url);
    const body = message && JSON.stringify(message);
    return new Promise((resolve, reject) => {
      const sent = request({
        ...options,
        ...by,
        method,
        headers: {
          ...this.#headers,
          Authorization: `Bearer ${token}`,
          Accept: "application/json, text/event-stream",
          ...(body !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          ...headers,
        },
        ...(signal && { signal }),
      });
      sent.on("response", (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
      );
      let connected = false;
      sent.on("socket", (socket) => {
        connected = !socket.connecting;
        if (connected) return;
        socket.once("connect", () => {
          connected = true;
        });
      });
      sent.on("error", (error) => reject(connected && !isUnread(error) ? lost(error) : unreachable(origin, error)));
      sent.end(body);
    });
  }

  #targetAt(at: string): Target {
    if (this.#target?.at === at) return this.#target;
    const url = new URL(at + this.#path);
    // Imported by name, node:http would load every lazy export it has.
    const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
    const { origin } = url;
    this.#target = { at, origin, request, options: process.getBuiltinModule("node:url").urlToHttpOptions(url) };
    return this.#target;
  }
}

const unreachable = (origin: string, cause: Error): NoAnswer =>
  new NoAnswer("HUB_UNREACHABLE", `The Parley hub at ${origin} cannot be reached.`, { cause });

export const lost = (cause?: unknown): NoAnswer =>
  new NoAnswer(
    "OUTCOME_UNKNOWN",
    "The Parley hub went away before it answered. The call may or may not have happened: look before you repeat it.",
    { cause },
  );

/** What the hub says in reply, whichever form it took. Throws `NoAnswer` for what is no JSON-RPC. `passed` hears positions. */
export async function* messagesOf(
  reply: Reply,
  passed: (event_id: string) => void = () => {},
): AsyncGenerator<Message> {
  if (reply.headers["content-type"]?.startsWith("text/event-stream")) {
    for await (const { id, data } of eventsOf(chunksOf(reply.body))) {
      const message = parseMessage(data);
      if (message) yield message;
      if (id !== undefined) passed(id);
    }
    return;
  }
  const text = await textOf(reply.body);
  const message = parseMessage(text);
  if (message?.jsonrpc === "2.0") yield message;
  else if (reply.status >= 300 || text !== "") throw refusal(reply.status, message);
}

/** What the hub says before a request gets to MCP at all: no credential, no such facet, no such space. */
function refusal(status: number, body: object | undefined): NoAnswer {
  const { error, code }: { error?: unknown; code?: unknown } = { ...body };
  const sentence = typeof error === "string" ? error : `The Parley hub answered with status ${status}.`;
  return new NoAnswer(typeof code === "string" ? code : "INTERNAL", sentence, { status });
}

/** By its events: to iterate over what is one chunk mostly costs more than all else that is done with it. */
export const textOf = (body: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on("data", (chunk: Buffer) => chunks.push(chunk));
    body.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    body.on("error", (error) => reject(lost(error)));
  });

async function* chunksOf(body: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw lost(error);
  }
}
