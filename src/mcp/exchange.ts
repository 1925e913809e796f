import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCErrorResponse, JSONRPCMessage, JSONRPCResultResponse } from "@modelcontextprotocol/server";
import type { Actor } from "../context.ts";
import { declared } from "../header.ts";
import { Outlet, type Outlets } from "../http/outlet.ts";
import type { Facets } from "../tool.ts";
import type { Who } from "./parts.ts";
import { answerJson, sseFrame } from "./wire.ts";

export type Answer = JSONRPCResultResponse | JSONRPCErrorResponse;

/** On whose behalf a request is served, as the handlers see it. */
export interface Caller extends Who {
  readonly idempotency_key: string | undefined;
  /** What led to its requests, unless one of them says something else. */
  readonly cause: string | undefined;
  /** Ends the connection without an answer: the caller finds out by asking again. */
  drop(): void;
}

/** Where the answers to the requests of one POST go. */
export interface Exchange extends Caller {
  answer(message: Answer): void;
  /** Something on the way to the answer: progress, a log line, a question to the client. */
  push(message: JSONRPCMessage): void;
  /** One of its requests will not be answered. */
  forget(): void;
}

interface PostOptions {
  outlets: Outlets;
  /** How many answers are due. */
  due: number;
  /** A batch is answered with an array, even of one. */
  batch?: boolean;
  headers?: Record<string, string>;
}

/** Answered with plain JSON; with an event stream only if something comes before the answer. */
export class PostExchange implements Exchange {
  readonly actor: Actor;
  readonly facets: Facets;
  readonly idempotency_key: string | undefined;
  readonly cause: string | undefined;
  readonly #response: ServerResponse;
  readonly #options: PostOptions;
  readonly #answers: Answer[] = [];
  #due: number;
  #stream: Outlet | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, who: Who, options: PostOptions) {
    this.actor = who.actor;
    this.facets = who.facets;
    const { idempotency_key, cause } = declared(request);
    this.idempotency_key = idempotency_key;
    this.cause = cause;
    this.#response = response;
    this.#options = options;
    this.#due = options.due;
  }

  answer(message: Answer): void {
    this.#due -= 1;
    if (this.#stream) this.#stream.write(sseFrame(message));
    else this.#answers.push(message);
    this.#finishIfDone();
  }

  push(message: JSONRPCMessage): void {
    if (this.#response.writableEnded) return;
    this.#stream ??= this.#upgrade();
    this.#stream.write(sseFrame(message));
  }

  forget(): void {
    this.#due -= 1;
    this.#finishIfDone();
  }

  drop(): void {
    this.#response.destroy();
  }

  #upgrade(): Outlet {
    const stream = new Outlet(this.#response, this.#options.outlets);
    stream.open(this.#options.headers);
    for (const message of this.#answers.splice(0)) stream.write(sseFrame(message));
    return stream;
  }

  #finishIfDone(): void {
    if (this.#due > 0) return;
    const [first] = this.#answers;
    if (this.#stream) this.#stream.end();
    else if (!first) this.#response.writeHead(202, this.#options.headers).end();
    else if (this.#options.batch) answerJson(this.#response, 200, this.#answers, this.#options.headers);
    else answerJson(this.#response, statusOf(first), first, this.#options.headers);
  }
}

/** The one error of a handler for which the 2026-07-28 era demands a status: the client lacks a capability. */
const MISSING_CAPABILITY = -32021;

const statusOf = (message: Answer): number =>
  "error" in message && message.error.code === MISSING_CAPABILITY ? 400 : 200;
