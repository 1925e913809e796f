import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Config } from "../config.ts";
import { StartRefused } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { isReachable, listenAt, newSocket } from "../local/unix-socket.ts";
import { type DoorOptions, mcpDoor } from "../mcp/index.ts";
import { auditRoutes } from "./audit.ts";
import { Connections } from "./connections.ts";
import { cookieName } from "./cookie.ts";
import { eventRoutes } from "./events.ts";
import { Guard } from "./guard.ts";
import { healthRoutes } from "./health.ts";
import { loginRoutes } from "./login.ts";
import { mcpRoutes } from "./mcp.ts";
import { moduleRoutes } from "./module-routes.ts";
import { openapiRoute } from "./openapi.ts";
import { Outlets } from "./outlet.ts";
import { Router } from "./router.ts";
import { Serving } from "./serving.ts";
import { toolRoutes } from "./tools.ts";
import { webRoutes } from "./web.ts";
import { WebSockets } from "./websockets.ts";

/** How long requests that have begun may take to finish when the hub stops. */
const DRAIN_MS = 10_000;

/** A connection on which nothing moves for so long, in the middle of a request, is given up. */
const SILENCE_MS = 120_000;
/** How much later than announced a connection that is kept for the next request is closed. */
const KEPT_LONGER_MS = 10_000;

export interface HttpServer {
  url: string;
  /** The same doors for who owns the data folder. */
  socket: string;
  /** Lets what has begun be finished, says goodbye to streams, closes the rest. */
  stop(): Promise<void>;
}

/** Opens the hub's one port and the socket in its data folder, with every door behind both. */
export async function listen(hub: Hub, doors: DoorOptions = {}): Promise<HttpServer> {
  let stopped = false;
  const stopping = (): boolean => stopped;
  const outlets = new Outlets();
  const mcp = mcpDoor(hub, doors);
  let router: Router | undefined;
  const upgrades = ({ url = "/" }: IncomingMessage): boolean => router?.isSocket(url.split("?")[0] ?? "") ?? false;
  const server = createBounded(hub.config, upgrades);
  const port = await bind(server, hub);
  const local = createBounded(hub.config, upgrades);
  const socket = newSocket(hub.config.home);
  using undo = new DisposableStack();
  undo.defer(() => server.close());
  const kept = await bindLocal(local, socket);
  const guard = new Guard(hub.config, port, cookieName(hub.database.epoch));
  const web = webRoutes(hub);
  const routes = [
    web.index,
    ...healthRoutes(hub, guard, stopping),
    ...toolRoutes(hub),
    ...moduleRoutes(hub),
    ...loginRoutes(hub, guard),
    ...auditRoutes(hub),
    ...eventRoutes(hub, outlets),
    ...mcpRoutes(hub, mcp),
  ];
  router = new Router([...routes, openapiRoute(hub, routes)], web.fallback);
  const sockets = new WebSockets(hub);
  const serving = new Serving({ hub, guard, router, sockets, stopping });
  const connections = new Connections(hub.config.request_seconds * 500);
  for (const each of [server, local]) {
    each.on("connection", (socket) => connections.opened(socket));
    each.on("request", (request, response) =>
      connections.inTurn(request, response, async () => {
        await serving.serve(request, response);
        connections.written(response);
      }),
    );
    each.on("upgrade", (request, socket, head) => void serving.upgrade(request, socket as Socket, head));
    each.on("clientError", (error, socket) => connections.refuse(error, socket));
    each.on("error", (error) => hub.log.error("a connection could not be taken", { error }));
  }
  undo.move();
  return {
    socket,
    url: `http://${hub.config.host.includes(":") ? `[${hub.config.host}]` : hub.config.host}:${port}`,
    stop: async () => {
      stopped = true;
      hub.streams.close(() => true, "stopping");
      await Promise.all([drain(server, connections), drain(local, connections)]);
      sockets[Symbol.dispose]();
      kept[Symbol.dispose]();
      outlets[Symbol.dispose]();
      await mcp[Symbol.asyncDispose]();
    },
  };
}

/** A client that sends a byte now and then would hold its connection for ever: it has so long for the whole request. */
function createBounded({ request_seconds }: Config, upgrades: (request: IncomingMessage) => boolean): Server {
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
    // Longer than clients are told: one on a busy machine may still ask on a connection that it was about to give up.
    keepAliveTimeoutBuffer: KEPT_LONGER_MS,
    // Some clients offer to upgrade to HTTP/2 wherever they ask.
    shouldUpgradeCallback: upgrades,
  });
  return server.setTimeout(SILENCE_MS);
}

async function drain(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Again and again: a connection that has just been answered is kept open by both sides.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    connections.endUnused();
  }, 20);
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
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

async function bindLocal(server: Server, path: string): Promise<Disposable> {
  if (!isReachable(path))
    throw new StartRefused(`${path} is too long a path for a socket on this system. Choose a shorter one with --home.`);
  try {
    return await listenAt(server, path);
  } catch (error) {
    throw new StartRefused(
      `The socket ${path}, by which commands reach the hub, cannot be made: ${(error as Error).message}. Choose a folder on a disk of this machine with --home.`,
      { cause: error },
    );
  }
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): StartRefused {
  if (error.code === "EADDRINUSE")
    return new StartRefused(
      `Port ${port} on ${host} is in use. Choose another with parley serve --port, or --port 0 for a free one: the folder keeps it.`,
      { cause: error },
    );
  return new StartRefused(`Cannot listen on ${host}:${port}: ${error.message}`, { cause: error });
}
