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

  #failure({ status, body }: Answer): Failure {
    if (!isErrorBody(body))
      return new Failure("HUB_UNREACHABLE", `${this.target.url} does not answer as a Parley hub.`);
    return failureOf(status, body.code, body.error);
  }

  async #send(path: string, options: RequestOptions): Promise<Answer> {
    const response = await this.#request(path, options);
    return { status: response.statusCode ?? 0, body: await bodyOf(response) };
  }

  #request(path: string, { method, body, key, timeout_ms }: RequestOptions): Promise<IncomingMessage> {
    // Imported by name, node:http would load every lazy export it has, WebSocket among them: 30 ms.
    const { request } = process.getBuiltinModule(this.#base.protocol === "https:" ? "node:https" : "node:http");
    return new Promise((resolve, reject) => {
      const sent: ClientRequest = request(
        new URL(this.#base.pathname.replace(/\/$/, "") + path, this.#base),
        { method, agent: false, headers: this.#headers(body, key) },
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
