import type { IncomingMessage, ServerResponse } from "node:http";
import {
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { header } from "../header.ts";
import { Outlet } from "../http/outlet.ts";
import { Refusal } from "./errors.ts";
import { type Exchange, PostExchange } from "./exchange.ts";
import { MAX_BATCH } from "./limits.ts";
import type { Parts, Who } from "./parts.ts";
import type { Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";

const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
/** The older revisions have no codes for these; the SDK uses the same two. */
const BAD_REQUEST = -32000;
const NO_SESSION = -32001;

/** Streamable HTTP of the revisions 2025-03-26 to 2025-11-25: sessions, with one stream each for what nobody asked. */
export class Legacy {
  readonly #parts: Parts;
  readonly #sessions: Sessions;

  constructor(parts: Parts, sessions: Sessions) {
    this.#parts = parts;
    this.#sessions = sessions;
  }

  async post(request: IncomingMessage, response: ServerResponse, who: Who, body: unknown): Promise<void> {
    const batch = Array.isArray(body);
    // That each is a JSON-RPC message was checked when the era was told.
    const messages = (batch ? body : [body]) as JSONRPCMessage[];
    if (messages.length > MAX_BATCH)
      throw new Refusal(400, INVALID_REQUEST, `A batch holds at most ${MAX_BATCH} messages.`);
    const starts = messages.some((message) => "method" in message && message.method === "initialize");
    const session = starts ? await this.#start(who, body) : this.#find(request, who);
    const due = messages.filter(isRequest).length;
    if (due > 1 && header(request, "idempotency-key") !== undefined)
      throw new Refusal(
        400,
        BAD_REQUEST,
        "One Idempotency-Key cannot stand for a batch: put idempotency_key among the arguments.",
      );
    const exchange = new PostExchange(request, response, who, {
      outlets: this.#parts.outlets,
      due,
      batch,
      headers: { "Mcp-Session-Id": session.id },
    });
    for (const message of messages) deliver(session, exchange, message);
    if (due === 0) response.writeHead(202).end();
  }

  get(request: IncomingMessage, response: ServerResponse, who: Who): void {
    if (!header(request, "accept")?.includes("text/event-stream"))
      throw new Refusal(406, BAD_REQUEST, "Accept must name text/event-stream.");
    const last_event_id = header(request, "last-event-id");
    // A client without sessions whose stream was cut looks for the rest of it here. Told no, it knows that it ended.
    if (last_event_id !== undefined && header(request, "mcp-session-id") === undefined)
      throw new Refusal(405, BAD_REQUEST, "Without a session nothing goes on here: ask to listen again.");
    const session = this.#find(request, who);
    // One that lags is most likely the same client before its network changed.
    if (session.stream?.stalled) session.stream.drop();
    if (session.stream) throw new Refusal(409, BAD_REQUEST, "This session already has its stream open.");
    const outlet = new Outlet(response, this.#parts.outlets);
    outlet.onclose = (why) => {
      session.detach(outlet);
      if (why === "dropped") this.#parts.hub.metrics.dropped.inc({ reason: "slow" });
    };
    outlet.open({ "Mcp-Session-Id": session.id });
    session.attach(outlet, last_event_id);
  }

  delete(request: IncomingMessage, response: ServerResponse, who: Who): void {
    this.#find(request, who).close("deleted");
    response.writeHead(204).end();
  }

  #start(who: Who, body: unknown): Promise<Session> {
    if (Array.isArray(body)) throw new Refusal(400, INVALID_REQUEST, "initialize cannot be part of a batch.");
    if (!isInitializeRequest(body))
      throw new Refusal(400, INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo.");
    return this.#sessions.create("session", who);
  }

  #find(request: IncomingMessage, who: Who): Session {
    const id = header(request, "mcp-session-id");
    if (!id)
      throw new Refusal(
        400,
        BAD_REQUEST,
        "Send initialize first and then its Mcp-Session-Id, or speak revision 2026-07-28.",
      );
    const session = this.#sessions.find(id, "session", who.actor);
    if (!session || String(session.who.facets) !== String(who.facets))
      throw new Refusal(404, NO_SESSION, "There is no such session. Start a new one with initialize.");
    const version = header(request, "mcp-protocol-version");
    if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return session;
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
    throw new Refusal(400, BAD_REQUEST, `MCP-Protocol-Version ${JSON.stringify(version)} is none of ${known}.`);
  }
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message;

/** Hands one message of a client to its session's server. */
export function deliver(session: Session, exchange: Exchange, message: JSONRPCMessage): void {
  if (isRequest(message)) session.switchboard.connectRequest(exchange, message);
  else if ("method" in message) session.switchboard.notify(message);
  else session.switchboard.respond(message);
}
