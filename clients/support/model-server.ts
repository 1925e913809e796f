/**
 * Stands in for a model, on loopback: it keeps every request, and answers as the script says that the prompt names. A
 * check believes only what stands in a request, since nothing else reaches a model.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { until } from "../../src/testing/process.ts";
import { type Call, promptFor, type Say, type Step, say, scriptIn } from "./script.ts";

export interface ModelRequest {
  /** When it had arrived, by the clock that the hub has too. */
  at: number;
  path: string;
  /** Every text in it that a model reads, without the definitions of tools. */
  text: string;
  /** The names of the tools it may call. Without any it is no turn of a conversation: a title, a summary. */
  tools: readonly string[];
  body: unknown;
}

/** One side of a conversation, as far as a script cares. */
export interface Turn {
  by: "user" | "model" | "other";
  text: string;
}

export interface Read extends Pick<ModelRequest, "text" | "tools"> {
  turns: readonly Turn[];
}

/** Clients are slow to start on a busy machine. */
const LIMIT_MS = 60_000;

export abstract class ModelServer implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  readonly #scripts = new Map<string, readonly Step[]>();
  readonly #told: { words: string; steps: readonly Step[] }[] = [];
  readonly #released = new Set<string>();
  readonly #faults: unknown[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        this.#faults.push(error);
        json(response, { error: { type: "invalid_request_error", message: String(error) } }, 400);
      });
    });
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    // A server on a port of TCP has an address of that form.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Gives the prompt that makes the model do so. */
  script(name: string, ...steps: readonly Step[]): string {
    this.#scripts.set(name, steps);
    return promptFor(name);
  }

  /** The same for prompts that are not the check's own, and name none: the last that was said for words in it counts. */
  whenTold(words: string, ...steps: readonly Step[]): void {
    this.#told.unshift({ words, steps });
  }

  /** Lets go what a script holds back under that name, now or when it comes there. */
  release(name: string): void {
    this.#released.add(name);
  }

  /** The turns of conversations, in the order they came. */
  get turns(): readonly ModelRequest[] {
    return this.requests.filter(({ tools }) => tools.length > 0);
  }

  /** Waits for a request in which that stands: of several, one behind the other. */
  async received(
    wanted: string | RegExp | readonly string[],
    options: { after?: number; limit_ms?: number } = {},
  ): Promise<ModelRequest> {
    const { after = 0, limit_ms = LIMIT_MS } = options;
    const matches = ({ text }: ModelRequest) =>
      wanted instanceof RegExp ? text.search(wanted) >= 0 : standIn(text, [wanted].flat());
    const found = () => this.turns.find((request) => request.at >= after && matches(request));
    try {
      return await until(found, limit_ms);
    } catch (error) {
      const last = this.turns.at(-1)?.text.slice(-1_500);
      throw new Error(`Of ${this.turns.length} requests none has ${wanted}. The last ends: ${last}`, { cause: error });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const path = request.url ?? "";
    if (request.method !== "POST" || !this.isModelCall(path)) return this.refuse(response, path);
    const { turns, ...read } = this.read(body);
    const kept = { at: Date.now(), path, body, ...read };
    this.requests.push(kept);
    this.reply(response, await this.#next(kept, turns), body);
  }

  /** After the last step of a script a model has no more to say than that it is done. */
  async #next(request: ModelRequest, turns: readonly Turn[]): Promise<Say | Call> {
    const at = turns.findLastIndex(({ by, text }) => by === "user" && this.#stepsFor(text) !== undefined);
    if (request.tools.length === 0 || at < 0) return say("done");
    const done = turns.slice(at + 1).filter(({ by }) => by === "model").length;
    let step = this.#stepsFor(turns[at]?.text ?? "")?.[done] ?? say("done");
    while ("hold" in step) {
      const { hold, then } = step;
      // Until the check lets it go, or is over.
      await until(() => this.#released.has(hold) || !this.#server.listening, 600_000);
      step = then;
    }
    return typeof step === "function" ? step(request) : step;
  }

  #stepsFor(text: string): readonly Step[] | undefined {
    const name = scriptIn(text);
    if (name !== undefined) return this.#scripts.get(name) ?? [];
    return this.#told.find(({ words }) => text.includes(words))?.steps;
  }

  protected abstract isModelCall(path: string): boolean;
  protected abstract refuse(response: ServerResponse, path: string): void;
  protected abstract read(body: unknown): Read;
  protected abstract reply(response: ServerResponse, step: Say | Call, body: unknown): void;

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
    if (this.#faults.length > 0) throw new AggregateError(this.#faults, "The model server could not answer.");
  }
}

/** No regular expression: `[^]*` before what is not there takes seconds, in which this process answers nobody. */
function standIn(text: string, words: readonly string[]): boolean {
  let at = 0;
  return words.every((word) => {
    const found = text.indexOf(word, at);
    at = found + word.length;
    return found >= 0;
  });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const encoding = request.headers["content-encoding"];
  const text = encoding === "zstd" ? zstdDecompressSync(raw) : encoding === "gzip" ? gunzipSync(raw) : raw;
  return text.length === 0 ? {} : JSON.parse(text.toString("utf8"));
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Server-sent events as both protocols have them: the type stands in the event and again in its data. */
export function stream(response: ServerResponse, events: readonly { type: string }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** All strings in it, however deep. */
export function textsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(textsOf).filter(Boolean).join("\n");
}
