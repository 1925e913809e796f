import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type MessageClassification,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  ProtocolError,
  type RequestId,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import type { DirectCall } from "./calling.ts";
import { inLegacyWords, internalError } from "./errors.ts";
import type { Answer, Caller, Exchange } from "./exchange.ts";

/** Undefined for what goes through the SDK. */
type Direct = (request: JSONRPCRequest) => DirectCall | undefined;

interface Line {
  exchange: Exchange;
  /** As the client numbered it. */
  id: RequestId;
  /** Of what does not go through the SDK. */
  gone?: AbortController;
}

/**
 * Connects many POSTs to one SDK server, and past it what needs nothing of that. Each request enters under a
 * number of its own, so that two clients (or one) using the same id at once can never get each other's answers.
 *
 * It derives from the SDK's transport for a single exchange because that class is how the SDK
 * learns which era a server is connected for; of its behaviour only `start` and `close` are left.
 */
export class Switchboard extends PerRequestHTTPServerTransport {
  /** Where goes what belongs to no request. Without it such a message is lost. */
  onunrelated: ((message: JSONRPCMessage) => void) | undefined;
  readonly #classification: MessageClassification;
  readonly #direct: Direct;
  readonly #lines = new Map<RequestId, Line>();
  #last = 0;
  #onidle: (() => void) | undefined;

  constructor(classification: MessageClassification, direct: Direct = () => undefined) {
    super({ classification });
    this.#classification = classification;
    this.#direct = direct;
  }

  get busy(): boolean {
    return this.#lines.size > 0;
  }

  /** Once every request under way has been answered. */
  whenIdle(then: () => void): void {
    if (this.busy) this.#onidle = then;
    else then();
  }

  /** Returns the way to cancel it: no answer will be sent then. */
  connectRequest(exchange: Exchange, request: JSONRPCRequest): () => void {
    this.#last += 1;
    const inner = this.#last;
    const call = this.#direct(request);
    if (call) void this.#call(call, inner, { exchange, id: request.id, gone: new AbortController() });
    else {
      this.#lines.set(inner, { exchange, id: request.id });
      this.#receive({ ...request, id: inner });
    }
    return () => this.#cancel(inner);
  }

  notify(notification: JSONRPCNotification): void {
    if (notification.method === "notifications/cancelled") this.#cancelled(notification.params?.requestId);
    else this.#receive(notification);
  }

  respond(response: JSONRPCResponse): void {
    this.#receive(response);
  }

  caller(inner: RequestId): Caller {
    const line = this.#lines.get(inner);
    if (!line) throw new Error("the request has already been answered or cancelled");
    return line.exchange;
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (isAnswer(message)) {
      const line = message.id === undefined ? undefined : this.#lines.get(message.id);
      if (!line || message.id === undefined) return;
      this.#lines.delete(message.id);
      const answer = { ...message, id: line.id };
      line.exchange.answer(this.#classification.era === "legacy" ? inLegacyWords(answer) : answer);
      if (!this.busy) this.#onidle?.();
      return;
    }
    const related = options?.relatedRequestId;
    if (related === undefined) this.onunrelated?.(message);
    else this.#lines.get(related)?.exchange.push(message);
  }

  async #call(call: DirectCall, inner: RequestId, line: Required<Line>): Promise<void> {
    this.#lines.set(inner, line);
    const { exchange: caller, gone } = line;
    try {
      await this.send({ jsonrpc: "2.0", id: inner, result: await call({ caller, signal: gone.signal }) });
    } catch (error) {
      const { code, message, data } = error instanceof ProtocolError ? error : internalError(error);
      await this.send({ jsonrpc: "2.0", id: inner, error: { code, message, data } });
    }
  }

  #cancelled(id: unknown): void {
    for (const [inner, line] of [...this.#lines]) {
      if (line.id !== id) continue;
      this.#cancel(inner);
      line.exchange.forget();
    }
  }

  #cancel(inner: RequestId): void {
    const line = this.#lines.get(inner);
    if (!line) return;
    this.#lines.delete(inner);
    if (line.gone) line.gone.abort();
    else this.#receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: inner } });
  }

  #receive(message: JSONRPCMessage): void {
    const extra: MessageExtraInfo =
      this.#classification.era === "modern" ? { classification: this.#classification } : {};
    this.onmessage?.(message, extra);
  }
}

// The SDK's own guards parse the whole message, which for a full page costs more than sending it.
const isAnswer = (message: JSONRPCMessage): message is Answer => !("method" in message);
