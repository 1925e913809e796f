/**
 * A model's endpoint over HTTP: a question is posted, and the answer comes as server-sent events, or in one piece from those
 * that do not stream. What passes (a busy or
 * failing endpoint, a network that is away, a stream that is cut off or silent) is tried again from the start with growing
 * pauses: nothing of an answer has had an effect before it is whole.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Backoff, type Pace } from "../../client/backoff.ts";
import { eventsOf } from "../../client/sse.ts";
import { Throttled } from "../throttled.ts";

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_REFUSAL = 2000;
const PASSING: readonly number[] = [408, 409, 425, 429];

/** How patient it is; tests are less so. */
export interface Patience {
  tries: number;
  pace: Pace;
  /** A longer wait than this, as an endpoint may ask for, is not waited for. */
  most_wait_ms: number;
  /** For so long a stream may say nothing. */
  silent_ms: number;
  /** For so long an answer may take, however much it is said that it comes. */
  whole_ms: number;
}

const PATIENCE: Patience = {
  ...{ tries: 6, pace: { first_ms: 1000, most_ms: 30_000 } },
  ...{ most_wait_ms: 120_000, silent_ms: 90_000, whole_ms: 1_800_000 },
};

/** What a person is told, where it is the end of the turn. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  readonly passing: boolean;
  readonly wait_ms: number | undefined;

  constructor(message: string, { passing = false, wait_ms, ...options }: EndpointOptions = {}) {
    super(message, options);
    this.passing = passing;
    this.wait_ms = wait_ms;
  }
}

interface EndpointOptions extends ErrorOptions {
  passing?: boolean;
  wait_ms?: number | undefined;
}

/** What an answer is that is not one. */
export const broken = (what: string, options?: ErrorOptions): EndpointError =>
  new EndpointError(`The model's answer ${what}.`, { ...options, passing: true });

export interface Question {
  url: string;
  headers: Record<string, string>;
  body: object;
  /** The events as which an answer would have come that came in one piece. */
  told: (whole: unknown) => unknown[];
}

/** Asks until there is an answer that `read` can make something of. */
export async function ask<T>(
  question: Question,
  read: (events: AsyncIterable<unknown>) => Promise<T>,
  { signal, patience = PATIENCE }: { signal: AbortSignal; patience?: Patience | undefined },
): Promise<T> {
  const backoff = new Backoff(patience.pace);
  for (let tries = 1; ; tries += 1)
    try {
      return await once(question, read, { signal, patience });
    } catch (error) {
      signal.throwIfAborted();
      const failed = error instanceof EndpointError ? error : unreachable(error);
      if (!failed.passing || tries >= patience.tries || (failed.wait_ms ?? 0) > patience.most_wait_ms)
        throw throttledBy(failed) ?? failed;
      await pause(Math.max(failed.wait_ms ?? 0, backoff.next()), undefined, { signal });
    }
}

/** One that says when it can be asked again is not asked by anybody until then. */
const throttledBy = (failed: EndpointError): Throttled | undefined =>
  failed.passing && failed.wait_ms !== undefined
    ? new Throttled(failed.message, { until: Date.now() + failed.wait_ms, cause: failed })
    : undefined;

function unreachable(error: unknown): EndpointError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EndpointError(`The model cannot be reached: ${why}`, { passing: true, cause: error });
}

async function once<T>(
  { url, headers, body, told }: Question,
  read: (events: AsyncIterable<unknown>) => Promise<T>,
  { signal, patience: { silent_ms, whole_ms } }: { signal: AbortSignal; patience: Patience },
): Promise<T> {
  const given_up = new AbortController();
  const timer = setTimeout(() => given_up.abort(broken(`did not go on for ${silent_ms} ms`)), silent_ms);
  const late = setTimeout(() => given_up.abort(endless(whole_ms)), whole_ms);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream, application/json", ...headers },
      body: JSON.stringify(body),
      // The key, and what was said, is for whom a person has named, and for nobody whom that one names.
      redirect: "manual",
      signal: AbortSignal.any([signal, given_up.signal]),
    });
    if (!response.ok) throw await refusalOf(response);
    const type = response.headers.get("content-type") ?? "";
    const chunks = chunksOf(response, () => timer.refresh());
    if (type.includes("text/event-stream")) return await read(eventsIn(chunks));
    if (type.includes("application/json")) return await read(eventsOfWhole(chunks, told));
    throw new EndpointError("The model's endpoint answered with something else than events or JSON.");
  } catch (error) {
    throw given_up.signal.aborted && !signal.aborted ? given_up.signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(late);
    // What is left of an answer that nobody reads is let go.
    given_up.abort();
  }
}

/** Asked again it would take as long. */
const endless = (whole_ms: number): EndpointError =>
  new EndpointError(`The model's answer was not whole after ${whole_ms} ms.`);

async function refusalOf(response: Response): Promise<EndpointError> {
  const { status, headers } = response;
  const place = placeIn(response);
  if (place !== undefined)
    return new EndpointError(
      `The model's endpoint answered ${status}: it is at ${place} now. Name that as its address if you trust it.`,
    );
  const text = await beginningOf(response);
  const passing = PASSING.includes(status) || status >= 500;
  return new EndpointError(`The model's endpoint answered ${status}: ${saying(text)}`, {
    passing,
    wait_ms: waitOf(headers.get("retry-after")),
  });
}

/** Where it has moved to, without what is nobody's business. */
function placeIn({ status, headers, url }: Response): string | undefined {
  const location = headers.get("location");
  if (status >= 400 || location === null || !URL.canParse(location, url)) return undefined;
  const { origin, pathname } = new URL(location, url);
  return `${origin}${pathname}`;
}

/** Nobody reads the rest, however much that is. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MOST_REFUSAL) break;
  }
  return text.slice(0, MOST_REFUSAL);
}

/** Both protocols put a sentence into `error.message`. */
function saying(text: string): string {
  try {
    const { error }: { error?: { message?: unknown } } = JSON.parse(text);
    if (typeof error?.message === "string") return error.message;
  } catch {
    // A proxy in between answers with a page.
  }
  return text || "nothing";
}

/** In seconds, or as a date. */
export function waitOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const at = /^[\d.]+$/.test(header.trim()) ? now + Number(header) * 1000 : Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The data of each event, as JSON; the word that ends a stream of the one protocol is its own. */
async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  for await (const { data } of eventsOf(chunks)) yield parsed(data.trim());
}

async function* eventsOfWhole(chunks: AsyncIterable<Uint8Array>, told: Question["told"]): AsyncGenerator<unknown> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  yield* told(parsed(Buffer.concat(all).toString("utf8")));
}

async function* chunksOf({ body }: Response, heard: () => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    heard();
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new EndpointError(`The model's answer has more than ${MOST_BYTES} bytes.`);
    yield chunk;
  }
}

export const DONE = "[DONE]";

function parsed(text: string): unknown {
  if (text === DONE) return DONE;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw broken("is no JSON where it should be", { cause });
  }
}
