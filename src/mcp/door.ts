import type { IncomingMessage, ServerResponse } from "node:http";
import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { Actor } from "../context.ts";
import { header } from "../header.ts";
import { Outlets } from "../http/outlet.ts";
import type { Hub } from "../hub.ts";
import type { Facets } from "../tool.ts";
import { isPlainCall } from "./calling.ts";
import { Catalogue } from "./catalogue.ts";
import { answerFailure, PARSE_ERROR, Refusal } from "./errors.ts";
import type { Fixtures } from "./fixtures.ts";
import { Hints } from "./hints.ts";
import { Legacy } from "./legacy.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { Modern } from "./modern.ts";
import { Notifications } from "./notifications.ts";
import type { Parts, Who } from "./parts.ts";
import { Seats } from "./seats.ts";
import { MODERN } from "./server.ts";
import { Sessions } from "./sessions.ts";
import { Sse } from "./sse.ts";
import { answerError, idOf } from "./wire.ts";

export interface DoorOptions {
  /** For tests. */
  fixtures?: Fixtures | undefined;
  limits?: Partial<Limits>;
}

/**
 * Mounted at /mcp, /mcp/<facet>, /sse and /messages. Host, Origin and credential were checked before;
 * the body of a POST was read and parsed.
 */
export interface McpDoor extends AsyncDisposable {
  /** `facet` is undefined at /mcp; `body` is the parsed JSON of a POST. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    actor: Actor,
    facets: Facets,
    body: unknown,
  ): Promise<void>;
  /** GET /sse */
  handleSse(request: IncomingMessage, response: ServerResponse, actor: Actor, facets: Facets): Promise<void>;
  /** POST /messages?sessionId=… */
  handleMessages(request: IncomingMessage, response: ServerResponse, actor: Actor, body: unknown): Promise<void>;
}

export function mcpDoor(hub: Hub, options: DoorOptions = {}): McpDoor {
  return new Door(hub, options);
}

interface Eras {
  modern: Modern;
  legacy: Legacy;
  sse: Sse;
  sessions: Sessions;
}

class Door implements McpDoor {
  readonly #hub: Hub;
  readonly #outlets: Outlets;
  readonly #limits: Limits;
  readonly #eras: Eras;

  constructor(hub: Hub, { fixtures, limits }: DoorOptions) {
    this.#hub = hub;
    this.#limits = { ...LIMITS, ...limits };
    this.#outlets = new Outlets(this.#limits);
    this.#eras = this.#build(fixtures);
  }

  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    actor: Actor,
    facets: Facets,
    body: unknown,
  ): Promise<void> {
    await this.#answering(response, body, (eras) => serve(eras, request, response, { actor, facets }, body));
  }

  async handleSse(_request: IncomingMessage, response: ServerResponse, actor: Actor, facets: Facets): Promise<void> {
    await this.#answering(response, undefined, ({ sse }) => sse.open(response, { actor, facets }));
  }

  async handleMessages(request: IncomingMessage, response: ServerResponse, actor: Actor, body: unknown): Promise<void> {
    await this.#answering(response, body, ({ sse }) => sse.post(request, response, actor, body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#eras.sessions[Symbol.dispose]();
    this.#outlets[Symbol.dispose]();
  }

  #build(fixtures: Fixtures | undefined): Eras {
    const hub = this.#hub;
    const parts: Parts = {
      hub,
      limits: this.#limits,
      catalogue: new Catalogue(hub),
      hints: new Hints(this.#limits.merge_ms),
      outlets: this.#outlets,
      notifications: new Notifications(hub),
      seats: new Seats(hub.config.space_subscriptions),
      fixtures,
    };
    const sessions = new Sessions(parts);
    return { modern: new Modern(parts), legacy: new Legacy(parts, sessions), sse: new Sse(parts, sessions), sessions };
  }

  async #answering(response: ServerResponse, body: unknown, work: (eras: Eras) => void | Promise<void>): Promise<void> {
    try {
      await work(this.#eras);
    } catch (error) {
      answerFailure(response, error, idOf(body), this.#hub.log);
    }
  }
}

/** Tells the era and hands on. */
function serve(
  { modern, legacy }: Eras,
  request: IncomingMessage,
  response: ServerResponse,
  who: Who,
  body: unknown,
): void | Promise<void> {
  const version = header(request, "mcp-protocol-version");
  if (request.method !== "POST") {
    if (request.method === "GET" && version !== MODERN) return legacy.get(request, response, who);
    if (request.method === "DELETE" && version !== MODERN) return legacy.delete(request, response, who);
    throw new Refusal(405, -32000, "Method not allowed.");
  }
  if (body === undefined) throw new Refusal(400, PARSE_ERROR, "The body is empty.");
  if (version !== undefined && SUPPORTED_PROTOCOL_VERSIONS.includes(version) && isPlainCall(body))
    return legacy.post(request, response, who, body);
  const route = classifyInboundRequest({
    httpMethod: "POST",
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...headerField("mcpMethodHeader", header(request, "mcp-method")),
    ...headerField("mcpNameHeader", header(request, "mcp-name")),
    body,
  });
  if (route.kind === "modern") return modern.serve(request, response, who, { route, body });
  if (route.kind === "legacy") return legacy.post(request, response, who, body);
  const { httpStatus, code, message, data } = route;
  answerError(response, httpStatus, { code, message, data }, idOf(body));
}

const headerField = <K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> =>
  // A computed key widens to `string`; the name is K's only member.
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, string>>;
