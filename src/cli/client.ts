import type { ClientRequest, IncomingMessage } from "node:http";
import { Failure, failureOf } from "./failure.ts";

/** Which hub, and as whom. */
export interface Target {
  url: string;
  token: string | undefined;
  space: string | undefined;
}

export interface CallOptions {
  /** With a key the call may be repeated until its outcome is known. */
  key?: string | undefined;
  timeout_ms?: number;
}

interface Answer {
  status: number;
  body: unknown;
}

interface Reading {
  result?: { contents: { text?: string }[] };
  error?: { message: string; data?: { code?: string } };
}

const PROTOCOL = "2026-07-28";
const PATIENCE_MS = 30_000;
const RETRIES_MS = [100, 400, 1600];

/** A thin HTTP client of the hub. */
export class Client {
  readonly target: Target;
  readonly #base: URL;

  constructor(target: Target) {
    this.target = target;
    plain(target.token, "UNAUTHENTICATED", "PARLEY_TOKEN is not a token.");
    plain(target.space, "INVALID_SESSION_ID", "--space takes main, a UUID or sess_… of letters, digits, - and _.");
    this.#base = baseOf(target.url);
  }

  /** Calls a tool and gives its output. Throws a `Failure` with the hub's own code and sentence. */
  async call<T>(tool: string, args: object, { key, timeout_ms = PATIENCE_MS }: CallOptions = {}): Promise<T> {
    const body = JSON.stringify(args);
    plain(key, "INVALID_ARGUMENT", "--key takes letters, digits and other ASCII characters.");
    const send = (): Promise<Answer> =>
      this.#send(`/api/tools/${encodeURIComponent(tool)}`, { method: "POST", body, key, timeout_ms });
    const answer = await (key ? untilKnown(key, send) : send());
    // What a tool returns is its published output; the hub has checked it.
    if (answer.status === 200) return answer.body as T;
    throw this.#failure(answer);
  }

  /** Any answer but a network error. */
  get(path: string, timeout_ms = PATIENCE_MS): Promise<Answer> {
    return this.#send(path, { method: "GET", timeout_ms });
  }

  /** Reads an MCP resource: the one thing that has no tool. */
  async resource<T>(uri: string): Promise<T> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": PROTOCOL,
      "io.modelcontextprotocol/clientInfo": { name: "parley", version: PROTOCOL },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri, _meta } });
    const headers = {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": PROTOCOL,
      "mcp-method": "resources/read",
      "mcp-name": uri,
    };
    const answer = await this.#send("/mcp", { method: "POST", body, headers, timeout_ms: PATIENCE_MS });
    // The protocol says so: a result has contents, and ours are JSON.
    const { result, error } = (answer.body ?? {}) as Reading;
    const text = result?.contents[0]?.text;
    if (text !== undefined) return JSON.parse(text);
    if (error?.data?.code) throw failureOf(answer.status, error.data.code, error.message);
    throw this.#failure(answer);
  }

  /** The open response of a stream. */
  async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#request(path, { method: "GET", headers, timeout_ms: PATIENCE_MS, signal });
    if (response.statusCode === 200) return response;
    throw this.#failure({ status: response.statusCode ?? 0, body: await bodyOf(response) });
  }

  #failure({ status, body }: Answer): Failure {
    if (!isErrorBody(body))
      return new Failure("HUB_UNREACHABLE", `${this.target.url} does not answer as a Parley hub.`);
    return failureOf(status, body.code, body.error);
  }

  async #send(path: string, options: RequestOptions): Promise<Answer> {
    const response = await this.#request(path, options);
    return { status: response.statusCode ?? 0, body: await bodyOf(response) };
  }

  #request(path: string, { method, body, key, headers, timeout_ms, signal }: RequestOptions): Promise<IncomingMessage> {
    // Imported by name, node:http would load every lazy export it has, WebSocket among them: 30 ms.
    const { request } = process.getBuiltinModule(this.#base.protocol === "https:" ? "node:https" : "node:http");
    return new Promise((resolve, reject) => {
      const sent: ClientRequest = request(
        new URL(this.#base.pathname.replace(/\/$/, "") + path, this.#base),
        { method, agent: false, ...(signal && { signal }), headers: { ...this.#headers(body, key), ...headers } },
        (response) => {
          sent.setTimeout(0);
          resolve(response);
        },
      );
      sent.setTimeout(timeout_ms, () => sent.destroy(new Error(`no answer within ${timeout_ms / 1000} s`)));
      sent.on("error", (cause) => reject(unreachable(this.target.url, cause)));
      sent.end(body);
    });
  }

  #headers(body: string | undefined, key: string | undefined): Record<string, string> {
    const { token, space } = this.target;
    return {
      accept: "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
      ...(space && { "x-session-id": space }),
      ...(body !== undefined && { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` }),
      ...(key && { "idempotency-key": key }),
    };
  }
}

interface RequestOptions {
  method: "GET" | "POST";
  timeout_ms: number;
  body?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** What goes into a header is checked here, where the sentence can say where it came from. */
function plain(text: string | undefined, code: string, message: string): void {
  if (text !== undefined && !/^[\x20-\x7e]{1,500}$/.test(text)) throw new Failure(code, message);
}

function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol === "http:" || base?.protocol === "https:") return base;
  throw new Failure(
    "INVALID_ARGUMENT",
    `${JSON.stringify(url)} is no address of a hub, such as http://127.0.0.1:8765.`,
  );
}

/**
 * A connection that was lost leaves open whether the hub did it. With a key, asking again
 * finds out. Where nobody listened from the beginning there is nothing to find out.
 */
async function untilKnown(key: string, send: () => Promise<Answer>): Promise<Answer> {
  let lost = false;
  for (const pause_ms of RETRIES_MS) {
    try {
      return await send();
    } catch (error) {
      lost ||= isConnectionLost(error) && !isRefused(error);
      if (!lost) throw error;
      await new Promise((done) => setTimeout(done, pause_ms));
    }
  }
  return send().catch((error: unknown) => {
    if (!(error instanceof Failure && isConnectionLost(error))) throw error;
    const again = `Repeat it with --key ${key}: it is done once.`;
    // With the same cause: where another hub can be started, that one is asked.
    throw new Failure("OUTCOME_UNKNOWN", `The hub is gone, and may have done it before. ${again}`, {
      cause: error.cause,
    });
  });
}

async function bodyOf(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch (cause) {
    throw new Failure("HUB_UNREACHABLE", "The hub broke off in the middle of its answer.", { cause });
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    // Not JSON, so not a hub; the caller says so.
    return undefined;
  }
}

function isErrorBody(body: unknown): body is { error: string; code: string } {
  if (typeof body !== "object" || body === null) return false;
  return "error" in body && typeof body.error === "string" && "code" in body && typeof body.code === "string";
}

function unreachable(url: string, cause: Error): Failure {
  const code = "code" in cause ? String(cause.code) : "";
  const why = code === "ECONNREFUSED" ? "nothing listens there" : cause.message;
  return new Failure("HUB_UNREACHABLE", `No hub can be reached at ${url}: ${why}.`, { cause });
}

/** Nobody was there to take the request, so it is safe to send it to somebody else. */
export const isRefused = (error: unknown): boolean => causeCode(error) === "ECONNREFUSED";

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Failure && error.code === "HUB_UNREACHABLE" && error.cause !== undefined;

function causeCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
