/** Calls the tools of a hub, on the transport that the client library has too. */
import { nodeTransport } from "../../client/node.ts";
import type { HttpResponse, Transport } from "../../client/transport.ts";
import { connectTo } from "../../local/unix-socket.ts";
import { Failure, failureOf, invalid, isFailure, reasonOf } from "./failure.ts";
import { jsonIn } from "./io.ts";
import type { Input, Output, ToolName } from "./tool-types.ts";

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
  /** How long nothing may come, where that is not said by how long the hub is asked to wait. */
  timeout_ms?: number;
}

export interface Answer {
  status: number;
  body: unknown;
}

const PATIENCE_MS = 30_000;
const WHICH_SPACE = "You may use several spaces: say in which with --space ID, or PARLEY_SPACE. space_list shows them.";
const NO_SPACE = "--space takes main, a UUID or sess_… of letters, digits, - and _.";

export class Client {
  readonly target: Target;

  constructor(target: Target) {
    this.target = target;
    plain(target.token, "UNAUTHENTICATED", "PARLEY_TOKEN is not a token.");
    plain(target.space, "INVALID_SESSION_ID", NO_SPACE);
    plain(target.cause, "INVALID_ARGUMENT", "--cause takes the id of a message, a mail or another event.");
    checkAddress(target.url);
  }

  /** Calls a tool and gives its output. Throws a `Failure` with the hub's own code and sentence. */
  call<N extends ToolName>(tool: N, args: Input<N>, options?: CallOptions): Promise<Output<N>> {
    return this.callByName<Output<N>>(tool, args, options);
  }

  /** One whose name is known only when it runs. */
  async callByName<T>(tool: string, args: object, options: CallOptions = {}): Promise<T> {
    const { key, timeout_ms = timeoutFor(args) } = options;
    const body = JSON.stringify(args);
    plain(key, "INVALID_ARGUMENT", "--key takes letters, digits and other ASCII characters.");
    const send = (): Promise<Answer> =>
      this.#send(`/api/tools/${encodeURIComponent(tool)}`, { method: "POST", body, key, timeout_ms });
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
    const misspelt = message.startsWith("X-Session-ID ") ? NO_SPACE : message;
    const sentence = body.code === "MISSING_SESSION_ID" ? WHICH_SPACE : misspelt;
    return failureOf(status, body.code, sentence, "retry_after" in body ? Number(body.retry_after) || 0 : 0);
  }

  async #send(path: string, { method, body, key, timeout_ms }: RequestOptions): Promise<Answer> {
    try {
      const headers = this.#headers(body, key);
      const send = transportTo(this.target, timeout_ms);
      const response = await send({ method, path, headers, ...(body !== undefined && { body }) });
      return { status: response.status, body: jsonIn(await textOf(response)) };
    } catch (error) {
      throw unreachable(this.target.socket ?? this.target.url, error);
    }
  }

  #headers(body: string | undefined, key: string | undefined): Record<string, string> {
    const { token, space, cause } = this.target;
    return {
      accept: "application/json",
      "x-parley-client": "cli",
      ...(token && { authorization: `Bearer ${token}` }),
      ...(space && { "x-session-id": space }),
      ...(cause && { "x-parley-cause": cause }),
      ...(body !== undefined && { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` }),
      ...(key && { "idempotency-key": key }),
    };
  }
}

/** What every call is given, and as long as it asks the hub to wait besides: one that waits is not hurried more. */
export const timeoutFor = (args: object): number =>
  PATIENCE_MS + ("wait_seconds" in args ? Number(args.wait_seconds) * 1000 : 0);

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

/** To a data folder's own hub by its socket. */
export const transportTo = ({ url, socket }: Pick<Target, "url" | "socket">, idle_ms?: number): Transport =>
  nodeTransport(url, { connect: socket ? () => connectTo(socket) : undefined, idle_ms });

/** All that comes, as text. */
export async function textOf({ body }: HttpResponse): Promise<string> {
  const chunks: string[] = [];
  await body((text) => chunks.push(text));
  return chunks.join("");
}

function checkAddress(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw invalid(`${JSON.stringify(url)} is not the address of a hub, such as http://127.0.0.1:8765.`);
}

function isErrorBody(body: unknown): body is { error: string; code: string } {
  if (typeof body !== "object" || body === null) return false;
  return "error" in body && typeof body.error === "string" && "code" in body && typeof body.code === "string";
}

function unreachable(url: string, cause: unknown): Failure {
  if (isBrokenOff(cause))
    return new Failure("HUB_UNREACHABLE", "The hub broke off in the middle of its answer.", { cause });
  return new Failure("HUB_UNREACHABLE", `No hub can be reached at ${url}: ${whyNot(cause)}.`, { cause });
}

function whyNot(cause: unknown): unknown {
  if (isRefused({ cause })) return "nothing listens there";
  if (causeCode({ cause }).startsWith("HPE_")) return "what answers there does not speak HTTP";
  return reasonOf(cause);
}

/** The connection ended before the answer was whole. */
const isBrokenOff = (cause: unknown): boolean =>
  ["ECONNRESET", "EPIPE", "HPE_INVALID_EOF_STATE"].includes(causeCode({ cause }));

/** Nobody was there to take the request, so it is safe to send it to somebody else. */
export const isRefused = (error: unknown): boolean =>
  // A socket that was left behind refuses, and one that was removed is missing.
  ["ECONNREFUSED", "ENOENT"].includes(causeCode(error));

/** It stopped just now, or has not begun to listen: nobody took the call, so it can go to the next hub. */
export const isGone = (error: unknown): boolean => isRefused(error) || isFailure(error, "SHUTTING_DOWN");

export const isConnectionLost = (error: unknown): boolean =>
  isFailure(error, "HUB_UNREACHABLE") && error.cause !== undefined;

function causeCode(error: unknown): string {
  const cause = typeof error === "object" && error !== null && "cause" in error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
