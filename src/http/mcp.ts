import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import { discovers, type McpDoor, rpcErrorBody } from "../mcp/index.ts";
import { FACETS, type Facet, needsNamedSpace } from "../tool.ts";
import { type BodyLimit, limitOfTool, MOST_BODY } from "./body-limit.ts";
import type { Request, Route } from "./router.ts";

/** Mounts the MCP door at its addresses. */
export function mcpRoutes(hub: Hub, door: McpDoor): Route[] {
  const routes: Route[] = [
    {
      method: "ANY",
      path: "/mcp",
      discovers,
      handle: ({ request, response, body }, actor) => door.handle(request, response, actor, undefined, body),
    },
    {
      method: "ANY",
      path: "/mcp/:facets",
      discovers,
      named,
      handle: async ({ request, response, params, body }, actor) =>
        door.handle(request, response, actor, facetsOf(params.facets ?? ""), body),
    },
    {
      method: "GET",
      path: "/sse",
      handle: ({ request, response }, actor) => door.handleSse(request, response, actor, undefined),
    },
    {
      method: "GET",
      path: "/sse/:facets",
      named,
      handle: async ({ request, response, params }, actor) =>
        door.handleSse(request, response, actor, facetsOf(params.facets ?? "")),
    },
    {
      method: "POST",
      path: "/messages",
      discovers,
      handle: ({ request, response, body }, actor) => door.handleMessages(request, response, actor, body),
    },
  ];
  const shared = { nowhere: true, errorBody: rpcErrorBody, body: (request: Request) => limitOf(hub, request) } as const;
  return routes.map((route) => ({ ...route, ...shared }));
}

/** Whatever else is asked for beside it at the address. */
const named = ({ facets = "" }: Request["params"]): boolean => needsNamedSpace(facets.split("+"));

/** What is around the arguments of a call, and the most that any other method takes. */
const ENVELOPE: BodyLimit = { bytes: 64 * 1024, values: 1000 };

/** Clients of today say in headers what they call, and the door holds them to it. Those of before do not. */
function limitOf(hub: Hub, { request }: Request): BodyLimit {
  const method = header(request, "mcp-method");
  const name = header(request, "mcp-name");
  if (method === undefined || name?.startsWith("=?")) return MOST_BODY;
  if (method !== "tools/call") return ENVELOPE;
  const tool = hub.tools.all.find((tool) => tool.name === name || tool.aliases.includes(name ?? ""));
  if (!tool) return ENVELOPE;
  const { bytes, values } = limitOfTool(tool);
  return { bytes: Math.min(bytes + ENVELOPE.bytes, MOST_BODY.bytes), values: values + ENVELOPE.values };
}

/** Of `mail+tasks`, in whichever order and however often each is named. */
function facetsOf(path: string): Facet[] {
  const names = path.split("+");
  const unknown = names.find((name) => !FACETS.some((facet) => facet === name));
  if (unknown === undefined) return FACETS.filter((facet) => names.includes(facet));
  throw new ParleyError(
    "UNKNOWN_SERVER",
    `There is no ${JSON.stringify(unknown.slice(0, 80))}. Known, alone or joined by +: ${FACETS.join(", ")}.`,
  );
}
