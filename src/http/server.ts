import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ParleyError, StartRefused } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { answerError } from "./answer.ts";
import { eventRoutes } from "./events.ts";
import { Guard } from "./guard.ts";
import { healthRoutes } from "./health.ts";
import { indexRoutes } from "./index-page.ts";
import { mcpRoutes, openMcp } from "./mcp.ts";
import { openapiRoutes } from "./openapi.ts";
import { Outlets } from "./outlet.ts";
import { type Request, Router } from "./router.ts";
import { sessionRoutes } from "./sessions.ts";
import { toolRoutes } from "./tools.ts";

/** How long requests that have begun may take to finish when the hub stops. */
const DRAIN_MS = 10_000;

export interface HttpServer {
  url: string;
  /** Lets what has begun be finished, says goodbye to streams, closes the rest. */
  stop(): Promise<void>;
}

/** Opens the hub's one port, with every door behind it. */
export async function listen(hub: Hub): Promise<HttpServer> {
  let stopping = false;
  const outlets = new Outlets();
  const mcp = await openMcp(hub);
  const server = createServer();
  const port = await bind(server, hub);
  const guard = new Guard(hub.config, port);
  const router = new Router([
    ...indexRoutes(hub),
    ...healthRoutes(hub, guard, () => stopping),
    ...toolRoutes(hub),
    ...sessionRoutes(hub, guard),
    ...eventRoutes(hub, outlets),
    ...mcpRoutes(mcp),
    ...openapiRoutes(hub),
  ]);
  server.on("request", (request, response) => void serve(hub, guard, router, request, response));
  return {
    url: `http://${hub.config.host.includes(":") ? `[${hub.config.host}]` : hub.config.host}:${port}`,
    stop: async () => {
      stopping = true;
      hub.streams.close(() => true, "stopping");
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearTimeout(late);
      outlets[Symbol.dispose]();
      await mcp[Symbol.asyncDispose]();
    },
  };
}

async function serve(
  hub: Hub,
  guard: Guard,
  router: Router,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = split(request.url ?? "/");
  let route = "unknown";
  try {
    guard.check(request);
    const found = router.find(request.method ?? "", path);
    if (found === "unknown") throw new ParleyError("NOT_FOUND", "There is nothing at this address.");
    if (found === "method") throw new ParleyError("NOT_FOUND", `${request.method} does nothing at this address.`);
    route = found.route.path;
    const context: Request = { request, response, rest: found.rest, query: new URLSearchParams(query) };
    if (found.route.open) await found.route.open(context);
    else await found.route.handle?.(context, await hub.credentials.authenticate(guard.credential(request)));
  } catch (error) {
    if (!(error instanceof ParleyError)) hub.log.error("a request failed", { route, error });
    else if (error.kind === "unauthenticated" || error.kind === "forbidden")
      hub.metrics.denied.inc({ code: error.code });
    answerError(response, error);
  } finally {
    hub.metrics.requests.inc({ route, code: response.statusCode });
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
