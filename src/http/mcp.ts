import type { IncomingMessage } from "node:http";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { type McpDoor, mcpDoor, rpcErrorBody } from "../mcp/index.ts";
import { FACETS, type Facet } from "../tool.ts";
import { readJson } from "./body.ts";
import type { Route } from "./router.ts";

/** Mounts the MCP door at its addresses. */
export function mcpRoutes(door: McpDoor): Route[] {
  const routes: Route[] = [
    {
      method: "ANY",
      path: "/mcp",
      handle: async ({ request, response }, actor) =>
        door.handle(request, response, actor, undefined, await bodyOf(request)),
    },
    {
      method: "ANY",
      path: "/mcp/*",
      handle: async ({ request, response, rest }, actor) =>
        door.handle(request, response, actor, facetOf(rest), await bodyOf(request)),
    },
    {
      method: "GET",
      path: "/sse",
      handle: ({ request, response }, actor) => door.handleSse(request, response, actor, undefined),
    },
    {
      method: "POST",
      path: "/messages",
      handle: async ({ request, response }, actor) =>
        door.handleMessages(request, response, actor, await readJson(request)),
    },
  ];
  return routes.map((route) => ({ ...route, errorBody: rpcErrorBody }));
}

export const openMcp = (hub: Hub): Promise<McpDoor> | McpDoor => mcpDoor(hub, { conformance: hub.config.conformance });

const bodyOf = (request: IncomingMessage): Promise<unknown> | undefined =>
  request.method === "POST" ? readJson(request) : undefined;

function facetOf(name: string): Facet {
  const facet = FACETS.find((known) => known === name);
  if (facet) return facet;
  throw new ParleyError(
    "UNKNOWN_SERVER",
    `There is no ${JSON.stringify(name.slice(0, 80))}. Known: ${FACETS.join(", ")}.`,
  );
}
