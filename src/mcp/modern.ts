import type { IncomingMessage, ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type InboundModernRoute } from "@modelcontextprotocol/server";
import { header } from "../header.ts";
import type { Facet } from "../tool.ts";
import { type Caller, PostExchange } from "./exchange.ts";
import { type ListenParts, listen } from "./listen.ts";
import type { Parts, Who } from "./parts.ts";
import { Quota } from "./quota.ts";
import { buildServer, MODERN } from "./server.ts";
import { Switchboard } from "./switchboard.ts";

/** What is served on the short way, and which parameter the `Mcp-Name` header has to repeat. */
const SHORT_WAY: ReadonlyMap<string, "name" | "uri" | null> = new Map([
  ["subscriptions/listen", null],
  ["tools/list", null],
  ["tools/call", "name"],
  ["resources/list", null],
  ["resources/templates/list", null],
  ["resources/read", "uri"],
]);

/**
 * The era without sessions. The usual requests, in the form every client sends them, take the short way: one SDK
 * server a facet for all of them, straight to Node's response. Everything else, and everything that could be wrong, goes
 * to the SDK's own handler, which knows each rule about headers and bodies.
 */
export class Modern {
  readonly #parts: ListenParts;
  readonly #switchboards = new Map<Facet | undefined, Promise<Switchboard>>();

  constructor(parts: Parts) {
    this.#parts = { ...parts, quota: new Quota(parts.limits.streams) };
  }

  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    who: Who,
    { route, body }: { route: InboundModernRoute; body: unknown },
  ): Promise<void> {
    const message = route.messageKind === "request" && isUsual(request, route) ? route.message : undefined;
    if (!message) return this.#serveUnusual(request, response, who, body);
    if (message.method === "subscriptions/listen") return listen(this.#parts, response, message, who);
    const switchboard = await this.#switchboard(who.facet);
    const exchange = new PostExchange(request, response, who.actor, { outlets: this.#parts.outlets, due: 1 });
    // In this era hanging up means never mind.
    response.once("close", switchboard.connectRequest(exchange, message));
  }

  #switchboard(facet: Facet | undefined): Promise<Switchboard> {
    const known = this.#switchboards.get(facet);
    if (known) return known;
    const connecting = this.#connect(facet);
    this.#switchboards.set(facet, connecting);
    return connecting;
  }

  async #connect(facet: Facet | undefined): Promise<Switchboard> {
    const switchboard = new Switchboard({ era: "modern", revision: MODERN });
    const server = buildServer({ ...this.#parts, facet, callerOf: (ctx) => switchboard.caller(ctx.mcpReq.id) });
    await server.connect(switchboard);
    return switchboard;
  }

  async #serveUnusual(request: IncomingMessage, response: ServerResponse, who: Who, body: unknown): Promise<void> {
    const caller: Caller = {
      actor: who.actor,
      idempotency_key: header(request, "idempotency-key"),
      drop: () => void response.destroy(),
    };
    const handler = createMcpHandler(() => buildServer({ ...this.#parts, facet: who.facet, callerOf: () => caller }), {
      legacy: "reject",
      // It would ask nobody whether a URI may be followed; every valid request to listen goes the short way.
      maxSubscriptions: 0,
    });
    // Its type forbids the `undefined` that Node's has in optional members; the handler does not mind them.
    await toNodeHandler(handler)(request as NodeIncomingMessageLike, response, body);
  }
}

/** That version and method agree with the body was checked where they are present; here they have to be. */
function isUsual(request: IncomingMessage, route: InboundModernRoute & { messageKind: "request" }): boolean {
  if (route.classification.revision !== MODERN) return false;
  if (!header(request, "mcp-protocol-version") || !header(request, "mcp-method")) return false;
  const { method, params } = route.message;
  const field = SHORT_WAY.get(method);
  if (field === undefined) return false;
  if (field === null) return true;
  const name = header(request, "mcp-name");
  return name !== undefined && name === params?.[field] && !name.startsWith("=?");
}
