import type { IncomingMessage, ServerResponse } from "node:http";
import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { declared, header } from "../header.ts";
import { Outlet } from "../http/outlet.ts";
import { type Facets, needsNamedSpace } from "../tool.ts";
import { Refusal } from "./errors.ts";
import type { Answer, Caller, Exchange } from "./exchange.ts";
import { deliver } from "./legacy.ts";
import type { Parts, Who } from "./parts.ts";
import type { Sessions } from "./sessions.ts";
import { sseFrame } from "./wire.ts";

/** HTTP+SSE, the transport of 2024-11-05: one stream down, and POSTs up whose answers come down the stream. */
export class Sse {
  readonly #parts: Parts;
  readonly #sessions: Sessions;

  constructor(parts: Parts, sessions: Sessions) {
    this.#parts = parts;
    this.#sessions = sessions;
  }

  async open(response: ServerResponse, who: Who): Promise<void> {
    const session = await this.#sessions.create("sse", who);
    const outlet = new Outlet(response, this.#parts.outlets);
    outlet.onclose = (why) => {
      session.close("dropped");
      if (why === "dropped") this.#parts.hub.metrics.dropped.inc({ reason: "slow" });
    };
    outlet.open({}, `event: endpoint\ndata: /messages?sessionId=${session.id}\n\n`);
    session.attach(outlet);
  }

  post(request: IncomingMessage, response: ServerResponse, actor: Actor, body: unknown): void {
    const id = new URL(request.url ?? "/", "http://hub").searchParams.get("sessionId") ?? "";
    const session = this.#sessions.find(id, "sse", actor);
    if (!session?.stream) throw new Refusal(404, -32001, "There is no such session. Open /sse again.");
    if (needsNamedSpace(session.who.facets ?? []) && header(request, "x-session-id") === undefined)
      throw new ParleyError(
        "MISSING_SESSION_ID",
        "Name the space with X-Session-ID with each message, as when the stream was opened.",
      );
    const message = parse(body);
    const who = { actor, facets: session.who.facets, ...declared(request) };
    response.writeHead(202, { "Content-Type": "text/plain" }).end("Accepted");
    deliver(session, new StreamExchange(session.stream, who), message);
  }
}

function parse(body: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(body);
  } catch (cause) {
    throw Object.assign(new Refusal(400, -32600, "The body is not a JSON-RPC message."), { cause });
  }
}

class StreamExchange implements Exchange {
  readonly actor: Actor;
  readonly facets: Facets;
  readonly idempotency_key: string | undefined;
  readonly cause: string | undefined;
  readonly #stream: Outlet;

  constructor(stream: Outlet, { actor, facets, idempotency_key, cause }: Omit<Caller, "drop">) {
    this.actor = actor;
    this.facets = facets;
    this.idempotency_key = idempotency_key;
    this.cause = cause;
    this.#stream = stream;
  }

  answer(message: Answer): void {
    this.#stream.write(sseFrame(message));
  }

  push(message: JSONRPCMessage): void {
    this.#stream.write(sseFrame(message));
  }

  forget(): void {}

  drop(): void {
    this.#stream.destroy();
  }
}
