import type { Agent, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { connectTo } from "../../local/unix-socket.ts";

export interface Address {
  /** Of the hub, such as `http://127.0.0.1:8765`. */
  url: string;
  /** Where to connect instead: the socket in the data folder of that hub. */
  socket?: string | undefined;
  token: string;
}

/** How a request gets to the hub. */
interface Route {
  /** Without a slash behind it. */
  url: string;
  token: string;
  by: Pick<RequestOptions, "agent" | "createConnection">;
  /** Whether this failure says that the hub has not read the request. */
  isUnread: (error: NodeJS.ErrnoException) => boolean;
}

/** Connections that wait for the next request: a client that asks one thing after another needs one. */
const MOST_FREE = 4;

/**
 * Where the hub is. That is looked for before each request: a hub that was restarted may listen elsewhere, and who
 * listens now where it did is not to be given its token. Only while a connection to its socket is open is it certain
 * to be the same one, and then that connection is used again.
 */
export class HubAddress {
  readonly #find: () => Address | undefined;
  readonly #renewed: () => string | undefined;
  #kept: Route | undefined;

  /** `renewed` gives the token as it is now, of who has one that is replaced. */
  constructor(find: () => Address | undefined, renewed: () => string | undefined = () => undefined) {
    this.#find = find;
    this.#renewed = renewed;
  }

  /** Undefined while there is no hub. */
  route(): Route | undefined {
    const route = this.#kept ?? this.#look();
    const token = this.#renewed();
    return route && token !== undefined ? { ...route, token } : route;
  }

  #look(): Route | undefined {
    const hub = this.#find();
    if (!hub) return undefined;
    const { socket, token } = hub;
    const route = { url: hub.url.replace(/\/+$/, ""), token, isUnread: () => false };
    // On a connection that was kept open nobody knows whether a request arrived, but for sockets of Linux.
    if (!socket) return { ...route, by: { agent: false } };
    if (process.platform !== "linux") return { ...route, by: { createConnection: () => connectTo(socket) } };
    const agent = keepingAgent(() => this.#open(socket, kept));
    const kept: Route = { ...route, by: { agent }, isUnread: isUnreadOnLinux };
    return kept;
  }

  #open(path: string, route: Route): Socket {
    const socket = connectTo(path);
    socket.once("connect", () => {
      this.#kept = route;
    });
    // It may have been the hub that went.
    return socket.once("close", () => {
      if (this.#kept === route) this.#kept = undefined;
    });
  }
}

function keepingAgent(open: () => Socket): Agent {
  // Imported by name, node:http would load every lazy export it has.
  const { Agent } = process.getBuiltinModule("node:http");
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_FREE });
  agent.createConnection = open;
  return agent;
}

/**
 * Who writes to a socket in the file system is told that the other side has closed it before (EPIPE), or closed it
 * without having read all (ECONNRESET). Where everything was read the connection just ends.
 */
const isUnreadOnLinux = ({ syscall, code }: NodeJS.ErrnoException): boolean =>
  (syscall === "write" && code === "EPIPE") || (syscall === "read" && code === "ECONNRESET");
