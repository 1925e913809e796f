import { hubErrorOf, isObject, refusal, unreachable } from "./errors.ts";
import { EventParser } from "./sse.ts";
import type { HttpResponse, Transport } from "./transport.ts";

const PROTOCOL = "2026-07-28";
const META = "io.modelcontextprotocol/";
const PATIENCE_MS = 30_000;
/** The hub says something every 15 seconds; a stream that is silent for longer is dead. */
const SILENCE_MS = 45_000;

interface Listening {
  method: string;
  params: Record<string, unknown>;
  /** Ends it. */
  controller: AbortController;
}

interface Asking {
  /** What it is about, as the header `mcp-name` says. */
  name?: string | undefined;
  /** Where other tools are listed than at `/mcp`. */
  path?: string;
  signal?: AbortSignal | undefined;
  timeout_ms?: number | undefined;
}

export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

/** Requests of the 2026-07-28 era: each stands alone. */
export class Protocol {
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;
  #requests = 0;
  #ahead_ms: number;

  constructor(transport: Transport, headers: Record<string, string>, ahead_ms: number) {
    this.#transport = transport;
    this.#headers = headers;
    this.#ahead_ms = ahead_ms;
  }

  /** How far the hub's clock is ahead of ours, to a second, as of its last answer. */
  get ahead_ms(): number {
    return this.#ahead_ms;
  }

  async request(
    method: string,
    params: Record<string, unknown>,
    { name, path, signal, timeout_ms = PATIENCE_MS }: Asking = {},
  ): Promise<Record<string, unknown>> {
    const controller = new AbortController();
    const end = (): void => controller.abort();
    // Not AbortSignal.timeout: it would hold on to what has long been answered.
    const late = setTimeout(end, timeout_ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
    let result: Record<string, unknown> | undefined;
    try {
      const response = await this.#send(method, params, { name, path, signal: controller.signal });
      await eachMessage(response, (message) => {
        if (isObject(message.result)) result ??= message.result;
      });
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", end);
    }
    if (result) return result;
    throw unreachable("the answer ended early");
  }

  /** Tells of the notifications of a stream until somebody ends it, or until it has been silent for too long. */
  async stream({ method, params, controller }: Listening, tell: (notification: Notification) => void): Promise<void> {
    let heard_at = performance.now();
    const check = setInterval(() => {
      if (performance.now() - heard_at > SILENCE_MS) controller.abort();
    }, SILENCE_MS / 3);
    try {
      const { body, ...response } = await this.#send(method, params, { signal: controller.signal });
      const noting: HttpResponse["body"] = (take) =>
        body((text) => {
          heard_at = performance.now();
          take(text);
        });
      await eachMessage({ ...response, body: noting }, ({ method, params }) => {
        if (typeof method === "string") tell({ method, params: isObject(params) ? params : {} });
      });
    } finally {
      clearInterval(check);
    }
  }

  async #send(
    method: string,
    params: Record<string, unknown>,
    { name, path = "/mcp", signal }: { name?: string | undefined; path?: string | undefined; signal: AbortSignal },
  ): Promise<HttpResponse> {
    this.#requests += 1;
    const _meta = {
      [`${META}protocolVersion`]: PROTOCOL,
      [`${META}clientInfo`]: { name: "parley-client", version: "1" },
      [`${META}clientCapabilities`]: {},
      ...(isObject(params._meta) && params._meta),
    };
    const response = await this.#exchange({
      method: "POST",
      path,
      headers: {
        ...this.#headers,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": PROTOCOL,
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#requests, method, params: { ...params, _meta } }),
      signal,
    });
    if (response.status !== 200) throw refusal(response.status, await jsonOf(response));
    return response;
  }

  async #exchange(request: Parameters<Transport>[0]): Promise<HttpResponse> {
    try {
      const response = await this.#transport(request);
      const time = Date.parse(response.date ?? "");
      if (!Number.isNaN(time)) this.#ahead_ms = time - Date.now();
      return response;
    } catch (error) {
      throw unreachable(error);
    }
  }
}

/** The JSON-RPC messages of an answer, whether it is one or a stream of them. An error among them is thrown. */
async function eachMessage(response: HttpResponse, take: (message: Record<string, unknown>) => void): Promise<void> {
  if (!response.type.startsWith("text/event-stream")) {
    take(checked(await jsonOf(response)));
    return;
  }
  const parser = new EventParser(({ data }) => take(checked(JSON.parse(data))));
  try {
    await response.body((text) => parser.push(text));
  } catch (error) {
    throw hubErrorOf(error);
  }
}

function checked(message: unknown): Record<string, unknown> {
  if (!isObject(message) || "error" in message) throw refusal(200, message);
  return message;
}

async function jsonOf(response: HttpResponse): Promise<unknown> {
  let text = "";
  try {
    await response.body((piece) => {
      text += piece;
    });
  } catch (error) {
    throw unreachable(error);
  }
  try {
    return JSON.parse(text);
  } catch {
    // No JSON, so no hub: `refusal` says so.
    return undefined;
  }
}
