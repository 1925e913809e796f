import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config.ts";
import { errorBody, ParleyError, StartRefused } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { answerError } from "./answer.ts";
import { readJson } from "./body.ts";
import { Connections } from "./connections.ts";
import { cookieName } from "./cookie.ts";
import { eventRoutes } from "./events.ts";
import { Guard } from "./guard.ts";
import { healthRoutes } from "./health.ts";
import { loginRoutes } from "./login.ts";
import { mailRoutes } from "./mail.ts";
import { mcpRoutes, openMcp } from "./mcp.ts";
import { openapiRoutes } from "./openapi.ts";
import { Outlets } from "./outlet.ts";
import { type Request, Router } from "./router.ts";
import { sessionRoutes } from "./sessions.ts";
import { toolRoutes } from "./tools.ts";
import { webRoutes } from "./web.ts";

/** How long requests that have begun may take to finish when the hub stops. */
const DRAIN_MS = 10_000;

/** A connection on which nothing moves for so long, in the middle of a request or an answer, is given up. */
const SILENCE_MS = 120_000;

export interface HttpServer {
  url: string;
  /** Lets what has begun be finished, says goodbye to streams, closes the rest. */
  stop(): Promise<void>;
}

interface Doors {
  hub: Hub;
  guard: Guard;
  router: Router;
  stopping: () => boolean;
}

/** Opens the hub's one port, with every door behind it. */
export async function listen(hub: Hub): Promise<HttpServer> {
  let stopped = false;
  const stopping = (): boolean => stopped;
  const outlets = new Outlets();
  const mcp = await openMcp(hub);
  const server = createBounded(hub.config);
  const port = await bind(server, hub);
  const guard = new Guard(hub.config, port, cookieName(hub.database.epoch));
  const web = webRoutes(hub);
  const routes = [
    web.index,
    ...healthRoutes(hub, guard, stopping),
    ...toolRoutes(hub),
    ...mailRoutes(hub),
    ...sessionRoutes(hub, guard),
    ...loginRoutes(hub, guard),
    ...eventRoutes(hub, outlets),
    ...mcpRoutes(mcp),
    ...openapiRoutes(hub),
  ];
  const router = new Router(routes, web.fallback);
  const doors = { hub, guard, router, stopping };
  const connections = new Connections();
  server.on("request", (request, response) =>
    connections.inTurn(request, response, () => void serve(doors, request, response)),
  );
  server.on("clientError", (error, socket) => connections.refuse(error, socket));
  server.on("error", (error) => hub.log.error("a connection could not be taken", { error }));
  return {
    url: `http://${hub.config.host.includes(":") ? `[${hub.config.host}]` : hub.config.host}:${port}`,
    stop: async () => {
      stopped = true;
      hub.streams.close(() => true, "stopping");
      await drain(server);
      outlets[Symbol.dispose]();
      await mcp[Symbol.asyncDispose]();
    },
  };
}

/** A client that sends a byte now and then would hold its connection for ever: it has so long for the whole request. */
function createBounded({ request_seconds }: Config): Server {
  const request_ms = request_seconds * 1000;
  const server = createServer({
    // Twice the same header is one that fits nowhere, rather than the first of two.
    joinDuplicateHeaders: true,
    // The guard has a sentence for it.
    requireHostHeader: false,
    headersTimeout: Math.ceil(request_ms / 3),
    requestTimeout: request_ms,
    // Node looks for those that are late twice a minute, whatever they are given.
    connectionsCheckingInterval: Math.ceil(request_ms / 12),
  });
  return server.setTimeout(SILENCE_MS);
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Again and again: a connection that has just been answered is kept open by both sides.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

async function serve(
  { hub, guard, router, stopping }: Doors,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = split(request.url ?? "/");
  let route = "unknown";
  let inWords: (error: unknown) => object = errorBody;
  try {
    guard.check(request);
    const found = router.find(request.method ?? "", path);
    route = found.route.path;
    const context: Request = {
      request,
      response,
      rest: found.rest,
      query: new URLSearchParams(query),
      body: undefined,
    };
    if (found.route.open) await found.route.open(context);
    else if (stopping()) throw new ParleyError("SHUTTING_DOWN", "The hub is stopping. Try again in a moment.");
    else {
      let actor = await hub.credentials.authenticate(guard.credential(request));
      // Whoever is turned away before is told so in the same words at every door.
      inWords = found.route.errorBody ?? errorBody;
      if (request.method === "POST") {
        context.body = await readJson(request);
        // A body may take a minute to arrive, and the token may be revoked meanwhile.
        actor = await hub.credentials.authenticate(guard.credential(request));
      }
      await found.route.handle?.(context, actor);
    }
  } catch (error) {
    if (!(error instanceof ParleyError)) hub.log.error("a request failed", { route, error });
    else if (error.kind === "unauthenticated" || error.kind === "forbidden")
      hub.metrics.denied.inc({ code: error.code });
    answerError(response, error, inWords(error));
  } finally {
    hub.metrics.answered(route, response.statusCode);
  }
}

function split(url: string): { path: string; query: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

async function bind(server: Server, { config }: Hub): Promise<number> {
  const { host, port } = config;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(refusal(error, host, port)));
    server.listen(port, host, resolve);
  });
  server.removeAllListeners("error");
  // `address` is a text only for pipes.
  return (server.address() as AddressInfo).port;
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): StartRefused {
  if (error.code === "EADDRINUSE")
    return new StartRefused(
      `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for a free one.`,
      { cause: error },
    );
  return new StartRefused(`Cannot listen on ${host}:${port}: ${error.message}`, { cause: error });
}
