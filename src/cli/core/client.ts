/**
 * A thin HTTP client of the hub. It speaks HTTP/1.1 on a socket of its own: to load `node:http` takes longer than
 * everything a hook does. With TLS it takes `node:https`. One file, since each more costs a hook half a millisecond.
 */
import type { Socket } from "node:net";
import { connectTo } from "../../local/unix-socket.ts";
import { Failure, failureOf } from "./failure.ts";

/** Which hub, and as whom. */
export interface Target {
  url: string;
  /** Of a data folder's own hub: then nobody but that hub is sent the token, whoever listens at its port by now. */
  socket?: string | undefined;
  token: string | undefined;
  space: string | undefined;
  /** What leads to all that is done there. */
  cause?: string | undefined;
}

export interface CallOptions {
  /** With a key the call may be repeated until its outcome is known. */
  key?: string | undefined;
  timeout_ms?: number;
  /** How long to wait for somebody to take the connection; as long as for the answer if left out. */
  connect_ms?: number;
}

export interface Answer {
  status: number;
  body: unknown;
}

const PATIENCE_MS = 30_000;
const NO_SPACE = "--space takes main, a UUID or sess_… of letters, digits, - and _.";

export class Client {
  readonly target: Target;
  readonly #base: URL;

  constructor(target: Target) {
    this.target = target;
    plain(target.token, "UNAUTHENTICATED", "PARLEY_TOKEN is not a token.");
    plain(target.space, "INVALID_SESSION_ID", NO_SPACE);
    plain(target.cause, "INVALID_ARGUMENT", "--cause takes the id of a message, a mail or another event.");
    this.#base = baseOf(target.url);
  }

  /** Calls a tool and gives its output. Throws a `Failure` with the hub's own code and sentence. */
  async call<T>(
    tool: string,
    args: object,
    { key, timeout_ms = PATIENCE_MS, connect_ms }: CallOptions = {},
  ): Promise<T> {
    const body = JSON.stringify(args);
    plain(key, "INVALID_ARGUMENT", "--key takes letters, digits and other ASCII characters.");
    const send = (): Promise<Answer> =>
      this.#send(`/api/tools/${encodeURIComponent(tool)}`, { method: "POST", body, key, timeout_ms, connect_ms });
    const answer = await (key ? (await import("./client-retry.ts")).untilKnown(key, send) : send());
    // What a tool returns is its published output; the hub has checked it.
    if (answer.status === 200) return answer.body as T;
    throw this.#failure(answer, tool);
  }

  /** Any answer but a network error. */
  get(path: string, timeout_ms = PATIENCE_MS): Promise<Answer> {
    return this.#send(path, { method: "GET", timeout_ms });
  }

  #failure({ status, body }: Answer, tool: string): Failure {
    if (!isErrorBody(body))
      return new Failure("HUB_UNREACHABLE", `${this.target.url} does not answer as a Parley hub.`);
    // Which tool a command calls, and by which header, is no concern of whoever typed the command.
    const named = `${tool}: `;
    const message = body.error.startsWith(named) ? body.error.slice(named.length) : body.error;
    const sentence = message.startsWith("X-Session-ID ") ? NO_SPACE : message;
    return failureOf(status, body.code, sentence, "retry_after" in body ? Number(body.retry_after) || 0 : 0);
  }

  async #send(path: string, { method, body, key, timeout_ms, connect_ms }: RequestOptions): Promise<Answer> {
    const whole = this.#base.pathname.replace(/\/$/, "") + path;
    const { socket } = this.target;
    const sent = { socket, method, path: whole, headers: this.#headers(body, key), body, timeout_ms, connect_ms };
    try {
      const ask =
        !socket && this.#base.protocol === "https:" ? (await import("./client-tls.ts")).exchangeTls : exchange;
      const { status, body } = await ask(this.#base, sent);
      return { status, body: parsed(body) };
    } catch (cause) {
      throw unreachable(socket ?? this.target.url, cause);
    }
  }

  #headers(body: string | undefined, key: string | undefined): Record<string, string> {
    const { token, space, cause } = this.target;
    return {
      accept: "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
      ...(space && { "x-session-id": space }),
      ...(cause && { "x-parley-cause": cause }),
      ...(body !== undefined && { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` }),
      ...(key && { "idempotency-key": key }),
    };
  }
}

interface RequestOptions {
  method: "GET" | "POST";
  timeout_ms: number;
  connect_ms?: number | undefined;
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

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Not JSON, so not a hub; the caller says so.
    return undefined;
  }
}

function isErrorBody(body: unknown): body is { error: string; code: string } {
  if (typeof body !== "object" || body === null) return false;
  return "error" in body && typeof body.error === "string" && "code" in body && typeof body.code === "string";
}

function unreachable(url: string, cause: unknown): Failure {
  if (cause instanceof BrokenOff)
    return new Failure("HUB_UNREACHABLE", "The hub broke off in the middle of its answer.", { cause });
  const why = isRefused({ cause }) ? "nothing listens there" : cause instanceof Error ? cause.message : cause;
  return new Failure("HUB_UNREACHABLE", `No hub can be reached at ${url}: ${why}.`, { cause });
}

/** Nobody was there to take the request, so it is safe to send it to somebody else. */
export const isRefused = (error: unknown): boolean =>
  // A socket that was left behind refuses, and one that was removed is missing.
  ["ECONNREFUSED", "ENOENT"].includes(causeCode(error));

export const isConnectionLost = (error: unknown): boolean =>
  error instanceof Failure && error.code === "HUB_UNREACHABLE" && error.cause !== undefined;

function causeCode(error: unknown): string {
  const cause = typeof error === "object" && error !== null && "cause" in error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

export interface Exchange {
  /** Where to connect instead of at the base. */
  socket: string | undefined;
  method: "GET" | "POST";
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** How long nothing may come. */
  timeout_ms: number;
  /** How long it may take until somebody takes the connection; `timeout_ms` if left out. */
  connect_ms: number | undefined;
}

export interface Reply {
  status: number;
  body: Buffer;
}

/** The connection ended before the answer was whole. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

/** Rejects with what the socket says, with `BrokenOff`, or with an `Error` when the time is up. */
function exchange(base: URL, { method, path, headers, body, timeout_ms, connect_ms, ...at }: Exchange): Promise<Reply> {
  const socket = at.socket ? connectTo(at.socket) : connectBy(base);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: ${base.host}\r\nconnection: close\r\n${lines.join("")}\r\n${body ?? ""}`,
  );
  const answered = answerOf(socket, { timeout_ms, connect_ms: connect_ms ?? timeout_ms });
  // Not at once: a command that is done with the answer ends sooner than a socket is taken down.
  return answered.finally(() => setImmediate(() => socket.destroy()));
}

function connectBy(base: URL): Socket {
  const { connect } = process.getBuiltinModule("node:net");
  const host = base.hostname.replace(/^\[|\]$/g, "");
  return connect({ port: Number(base.port || 80), host, noDelay: true });
}

function answerOf(socket: Socket, limits: { timeout_ms: number; connect_ms: number }): Promise<Reply> {
  const got: Buffer[] = [];
  let bytes = 0;
  /** How long the whole answer is, as soon as its head has said so. */
  let expected: number | undefined;
  return new Promise((resolve, reject) => {
    const limit = (ms: number) =>
      socket.setTimeout(ms).once("timeout", () => reject(new Error(`no answer within ${ms / 1000} s`)));
    const done = (): void => {
      try {
        resolve(parse(Buffer.concat(got)));
      } catch (error) {
        reject(error);
      }
    };
    limit(limits.connect_ms);
    socket.once("connect", () => {
      socket.removeAllListeners("timeout");
      limit(limits.timeout_ms);
    });
    socket.on("data", (chunk: Buffer) => {
      got.push(chunk);
      bytes += chunk.length;
      expected ??= lengthOf(Buffer.concat(got));
      if (expected !== undefined && bytes >= expected) done();
    });
    socket.on("end", done);
    socket.on("error", reject);
    // After an answer or an error this is too late, and changes nothing.
    socket.on("close", () => reject(new BrokenOff("the connection was closed")));
  });
}

/** Undefined while its head is not there. Without a length, which ours always gives, an answer ends with the connection. */
function lengthOf(got: Buffer): number | undefined {
  const end = got.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const length = /^content-length:[ \t]*(\d+)/im.exec(got.toString("latin1", 0, end))?.[1];
  return length === undefined ? Number.POSITIVE_INFINITY : end + 4 + Number(length);
}

const notHttp = (): Error => new Error("what answers there does not speak HTTP");

function parse(got: Buffer): Reply {
  const end = got.indexOf("\r\n\r\n");
  if (end < 0) throw got.length > 0 && !/^HTTP\//.test(got.toString("latin1", 0, 5)) ? notHttp() : new BrokenOff(EARLY);
  const head = got.toString("latin1", 0, end);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  if (status === 0) throw notHttp();
  const rest = got.subarray(end + 4);
  // Interim: the answer itself follows.
  if (status < 200) return parse(rest);
  return { status, body: /^transfer-encoding:.*chunked/im.test(head) ? unchunked(rest) : cutOff(head, rest) };
}

const EARLY = "the hub broke off in the middle of its answer";

function cutOff(head: string, rest: Buffer): Buffer {
  const length = Number(/^content-length:[ \t]*(\d+)/im.exec(head)?.[1] ?? rest.length);
  if (rest.length < length) throw new BrokenOff(EARLY);
  return rest.subarray(0, length);
}

function unchunked(rest: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    if (line < 0) throw new BrokenOff(EARLY);
    const size = Number.parseInt(rest.toString("latin1", at, line), 16);
    if (!(size >= 0)) throw notHttp();
    if (size === 0) return Buffer.concat(parts);
    if (rest.length < line + 2 + size + 2) throw new BrokenOff(EARLY);
    parts.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
