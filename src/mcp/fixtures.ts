import type { Server, ServerCapabilities, ServerOptions } from "@modelcontextprotocol/server";
import type { Filter } from "./listen.ts";
import type { Handlers } from "./server.ts";

/** Put in front of what the hub answers, by tests that need more of a server than a hub has. */
export interface Fixtures {
  capabilities: ServerCapabilities;
  serverOptions: Pick<ServerOptions, "requestState">;
  around(hub: Handlers, server: Server): Handlers;
  /** Which kinds of changed lists a listener is told of. */
  honoured(wanted: Filter): Partial<Filter>;
  onListChanged(honoured: Partial<Filter>, tell: (method: string) => void): () => void;
}
