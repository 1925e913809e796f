import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { type McpDoor, mcpDoor, rpcErrorBody } from "../mcp/index.ts";
import { FACETS, type Facet } from "../tool.ts";
import type { Route } from "./router.ts";

/** Mounts the MCP door at its addresses. */
export function mcpRoutes(door: McpDoor): Route[] {
  const routes: Route[] = [
    {
      method: "ANY",
      path: "/mcp",
      handle: ({ request, response, body }, actor) => door.handle(request, response, actor, undefined, body),
    },
    {
      method: "ANY",
      path: "/mcp/*",
      handle: async ({ request, response, rest, body }, actor) =>
        door.handle(request, response, actor, facetOf(rest), body),
    },
    {
      method: "GET",
      path: "/sse",
      handle: ({ request, response }, actor) => door.handleSse(request, response, actor, undefined),
    },
    {
      method: "POST",
      path: "/messages",
      handle: ({ request, response, body }, actor) => door.handleMessages(request, response, actor, body),
    },
  ];
  return routes.map((route) => ({ ...route, errorBody: rpcErrorBody }));
}

export const openMcp = (hub: Hub): Promise<McpDoor> | McpDoor => mcpDoor(hub, { conformance: hub.config.conformance });

function facetOf(name: string): Facet {
  const facet = FACETS.find((known) => known === name);
  if (facet) return facet;
  throw new ParleyError(
    "UNKNOWN_SERVER",
    `There is no ${JSON.stringify(name.slice(0, 80))}. Known: ${FACETS.join(", ")}.`,
  );
}
