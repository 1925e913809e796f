import type { ToolTypes } from "../modules/index.ts";
import { Backoff, PACE, type Pace, Pause } from "./backoff.ts";
import { HubError, isObject, refusal, unreachable } from "./errors.ts";
import { Protocol } from "./protocol.ts";
import type { ClientState } from "./state.ts";
import { fetchTransport, type Transport } from "./transport.ts";
import type { Hint } from "./watchers.ts";
import { Watching } from "./watching.ts";

export interface ClientOptions {
  transport: Transport;
  /** Left out in a page, which has a cookie. */
  token?: string | undefined;
  space?: string | undefined;
  /** How far the hub's clock is ahead of ours, where that is known before the first answer. */
  ahead_ms?: number | undefined;
  /** How long to wait before trying again. */
  pace?: Pace;
  /** What a callback threw. */
  report?: (error: unknown) => void;
}

export interface ResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text: string;
}

export interface CallOptions {
  /** For writes: the same key never does it twice, so the call is repeated until its outcome is known. */
  key?: string;
  /** How long to go on repeating it. */
  patience_ms?: number;
  /** The id of what led to it. */
  cause?: string | undefined;
  /** Ends the call: nobody waits for it any more. */
  signal?: AbortSignal | undefined;
  /** How long an answer may take, where it is a tool that waits. */
  timeout_ms?: number | undefined;
}

/** A tool as the hub lists it. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

const PATIENCE_MS = 15_000;

/** A program's or a page's connection to the hub. */
export class Client implements Disposable {
  readonly pace: Pace;
  readonly report: (error: unknown) => void;
  readonly #protocol: Protocol;
  readonly #watching: Watching;
  #disposed = false;

  constructor(options: ClientOptions) {
    const { transport, token, space, ahead_ms = 0, pace = PACE, report = (error) => console.error(error) } = options;
    this.pace = pace;
    this.report = report;
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(space && { "x-session-id": space }),
    };
    this.#protocol = new Protocol(transport, headers, ahead_ms);
    this.#watching = new Watching(this.#protocol, { pace, report });
  }

  /** Calls a tool. Throws `HubError`, with the hub's own code and sentence. */
  async call<N extends keyof ToolTypes>(
    name: N,
    args: ToolTypes[N]["input"],
    { key, patience_ms = PATIENCE_MS, cause, signal, timeout_ms }: CallOptions = {},
  ): Promise<ToolTypes[N]["output"]> {
    const given = key === undefined ? args : { ...args, idempotency_key: key };
    // No model reads the answer, so it need not be there as text besides.
    const _meta = { "parley/bare": true, ...(cause !== undefined && { "parley/cause": cause }) };
    const params = { name, arguments: given, _meta };
    const send = async (): Promise<ToolTypes[N]["output"]> => {
      this.#assertInUse();
      // The hub has checked its own output against the schema that this type is of.
      const answer = await this.#protocol.request("tools/call", params, { name, signal, timeout_ms });
      return outputOf(answer) as ToolTypes[N]["output"];
    };
    return key === undefined
      ? send()
      : untilKnown(send, { pace: this.pace, patience_ms, stopped: () => this.#disposed || signal?.aborted === true });
  }

  /** The tools of these facets, as a model is shown them. */
  async tools(facets: readonly string[]): Promise<ListedTool[]> {
    const { tools } = await this.#protocol.request("tools/list", {}, { path: `/mcp/${facets.join("+")}` });
    if (Array.isArray(tools) && tools.every(isListedTool)) return tools;
    throw new HubError("INVALID_CONTENTS", "What the hub gave is no list of tools.");
  }

  async read(uri: string): Promise<ResourceContents[]> {
    this.#assertInUse();
    const { contents } = await this.#protocol.request("resources/read", { uri }, { name: uri });
    if (Array.isArray(contents) && contents.length > 0 && contents.every(isContents)) return contents;
    throw new HubError("INVALID_CONTENTS", `What the hub gave for ${uri} is not an MCP resource.`);
  }

  /**
   * `hint` is called when reading the resource is worth it: once the hub listens to it for us, whenever it may have
   * changed, and after each interruption; with an error when the hub cannot be reached. Returns the way to stop.
   */
  watch(uri: string, hint: Hint): () => void {
    return this.#watching.add(uri, hint);
  }

  /** Whether what is watched is listened to; told at once and at each change. Returns the way to stop. */
  onState(listener: (state: ClientState) => void): () => void {
    return this.#watching.onState(listener);
  }

  /** Tries to reach the hub now rather than at the end of a pause. */
  retry(): void {
    this.#watching.retry();
  }

  /** Holds no connection from now on, for a page that nobody looks at. Calls and reads work as ever. */
  sleep(): void {
    this.#watching.sleep();
  }

  /** Listens again; what happened meanwhile is caught up with. */
  wake(): void {
    this.#watching.wake();
  }

  /** Catches up with what happened and sleeps again: for one who may not hold a connection. */
  look(): void {
    this.#watching.look();
  }

  /** What time it is for the hub, in milliseconds since 1970, to a second. Our own clock may be hours off. */
  now(): number {
    return Date.now() + this.#protocol.ahead_ms;
  }

  /** Whoever tries again and again has to stop: no try will help. */
  get disposed(): boolean {
    return this.#disposed;
  }

  /** No tool is called from now on, nor called again, and nothing is read or listened to. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#watching[Symbol.dispose]();
  }

  /** Whoever's cookie it is now, it is not the one with which this client was begun. */
  #assertInUse(): void {
    if (this.#disposed) throw unreachable("this client is no longer in use");
  }
}

export const createClient = (options: ClientOptions): Client => new Client(options);

let ofPage: Client | undefined;

/** The one client of a page: same origin, signed in by its cookie. */
export function getMCPClient(): Client {
  ofPage ??= createClient({ transport: fetchTransport("") });
  return ofPage;
}

/** An idempotency key. `randomUUID` is missing in pages that are served without TLS. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function untilKnown<T>(
  send: () => Promise<T>,
  { pace, patience_ms, stopped }: { pace: Pace; patience_ms: number; stopped: () => boolean },
): Promise<T> {
  const backoff = new Backoff(pace);
  const deadline = performance.now() + patience_ms;
  for (;;)
    try {
      return await send();
    } catch (error) {
      const again = error instanceof HubError && error.passing && !stopped() && performance.now() <= deadline;
      if (!again) throw error;
      await new Pause().for(backoff.next());
    }
}

function outputOf({ structuredContent, content, isError }: Record<string, unknown>): unknown {
  if (!isError) {
    if (isObject(structuredContent)) return structuredContent;
    throw unreachable("the tool's result has no structured content");
  }
  const [first] = Array.isArray(content) ? content : [];
  throw refusal(200, isObject(first) && typeof first.text === "string" ? parsed(first.text) : undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The SDK's own words for what never got to the tool.
    return { error: text, code: "INVALID_REQUEST" };
  }
}

const isListedTool = (value: unknown): value is ListedTool =>
  isObject(value) &&
  typeof value.name === "string" &&
  typeof value.description === "string" &&
  isObject(value.inputSchema);

const isContents = (value: unknown): value is ResourceContents =>
  isObject(value) &&
  typeof value.uri === "string" &&
  typeof value.text === "string" &&
  (value.mimeType === undefined || typeof value.mimeType === "string");
