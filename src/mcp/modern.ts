import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  type InboundModernRoute,
  type Result,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import { declared, header } from "../header.ts";
import { type Caller, PostExchange } from "./exchange.ts";
import { type ListenParts, listen } from "./listen.ts";
import type { Parts, Who } from "./parts.ts";
import { Quota } from "./quota.ts";
import { buildServer, MODERN } from "./server.ts";
import { Switchboard } from "./switchboard.ts";
import { Tasks } from "./tasks.ts";

/** What is served on the short way, and which parameter the `Mcp-Name` header has to repeat. */
const SHORT_WAY: ReadonlyMap<string, "name" | "uri" | "taskId" | null> = new Map([
  ["tasks/get", "taskId"],
  ["tasks/cancel", "taskId"],
  ["tasks/update", "taskId"],
  ["subscriptions/listen", null],
  ["tools/list", null],
  ["tools/call", "name"],
  ["resources/list", null],
  ["resources/templates/list", null],
  ["resources/read", "uri"],
]);

/**
 * The era without sessions. The usual requests, in the form every client sends them, take the short way: one SDK
 * server for all of them, straight to Node's response. Everything else, and everything that could be wrong, goes
 * to the SDK's own handler, which knows each rule about headers and bodies.
 */
export class Modern {
  readonly #parts: ListenParts;
  readonly #tasks: Tasks;
  #switchboard: Promise<Switchboard> | undefined;

  constructor(parts: Parts) {
    this.#tasks = new Tasks(parts.hub);
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
    if (message.method === "subscriptions/listen") {
      const last_event_id = header(request, "last-event-id");
      return listen(this.#parts, response, message, { ...who, last_event_id });
    }
    const exchange = new PostExchange(request, response, who, { outlets: this.#parts.outlets, due: 1 });
    const gone = new AbortController();
    const answer = this.#tasks.answer(message, { actor: who.actor, signal: gone.signal });
    if (answer) {
      response.once("close", () => gone.abort());
      exchange.answer({ jsonrpc: "2.0", id: message.id, result: this.#stamp(await answer) });
      return;
    }
    this.#switchboard ??= this.#connect();
    const switchboard = await this.#switchboard;
    // In this era hanging up means never mind.
    response.once("close", switchboard.connectRequest(exchange, message));
  }

  /** As the SDK does with what goes through it. */
  #stamp(result: Result): Result {
    const server = { name: "parley", title: "Parley", version: this.#parts.hub.version };
    return { resultType: "complete", ...result, _meta: { [SERVER_INFO_META_KEY]: server } };
  }

  async #connect(): Promise<Switchboard> {
    const switchboard = new Switchboard({ era: "modern", revision: MODERN });
    const server = buildServer({ ...this.#parts, callerOf: (ctx) => switchboard.caller(ctx.mcpReq.id) });
    await server.connect(switchboard);
    return switchboard;
  }

  async #serveUnusual(request: IncomingMessage, response: ServerResponse, who: Who, body: unknown): Promise<void> {
    const caller: Caller = {
      ...who,
      ...declared(request),
      drop: () => void response.destroy(),
    };
    const handler = createMcpHandler(() => buildServer({ ...this.#parts, callerOf: () => caller }), {
      legacy: "reject",
      // It would ask nobody whether a URI may be followed; every valid request to listen goes the short way.
      maxSubscriptions: 0,
    });
    // It loads HTTP/2 and the whole of `fetch`, which takes as long as a third of a start.
    const { toNodeHandler } = await import("@modelcontextprotocol/node");
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
