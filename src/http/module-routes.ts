import { z } from "zod";
import { type Ctx, systemActor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { listenTo } from "../feed/index.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import type { OpenRoute, RouteRequest, SocketRoute, ToolRoute } from "../route.ts";
import type { Tool } from "../tool.ts";
import { answer } from "./answer.ts";
import { readBytes } from "./body.ts";
import { limitOfTool } from "./body-limit.ts";
import { paramsOf, type Request, type Route } from "./router.ts";
import { optionsOf } from "./tools.ts";

/** The addresses that modules define, as the door serves them. */
export function moduleRoutes(hub: Hub): Route[] {
  const routes = hub.modules.flatMap((module) => module.routes ?? []);
  return routes.map((route) => {
    if ("tool" in route) return toolRoute(hub, route);
    return "open" in route ? openRoute(hub, route) : socketRoute(hub, route);
  });
}

function toolRoute(hub: Hub, route: ToolRoute): Route {
  const { method, path, summary, space, even_ended, status } = route;
  const tool = hub.tools.find(route.tool);
  const given = [...paramsOf(path), ...Object.keys(route.fixed ?? {}), ...(route.without ?? [])];
  return {
    method,
    path,
    space,
    even_ended,
    nowhere: tool.spaceless,
    about: { summary, tool: tool.name, given, ...(status !== undefined && { status }) },
    body: () => limitOfTool(tool),
    handle: async (request, actor) => {
      const args = argumentsOf(route, tool, given, request);
      const options = optionsOf(tool, request.request, request.response);
      await answer(request.response, await hub.call(actor, tool, args, options), status);
    },
  };
}

function openRoute(hub: Hub, route: OpenRoute): Route {
  const { method, path, summary, most_bytes, limited, response: schema, open } = route;
  return {
    method,
    path,
    limited: limited && { as: limited, most_bytes },
    about: { summary, response: schema },
    open: async (asked) => {
      const bytes = method === "POST" ? await readBytes(asked.request, most_bytes) : Buffer.alloc(0);
      const ctxOf = (space_id: string): Ctx => hub.ctx(systemActor(space_id));
      const { status, body } = await open(ctxOf, { ...askedOf(asked), bytes }, hub.config);
      await answer(asked.response, body, status);
    },
  };
}

function socketRoute(hub: Hub, { path, summary, space, query = {}, given_by, connect }: SocketRoute): Route {
  return {
    method: "GET",
    path,
    space,
    about: { summary, query: { ...query, space: "Which space, where the credential may use several." }, status: 101 },
    handle: () => {
      throw new ParleyError("INVALID_REQUEST", "This address is a WebSocket.");
    },
    connect: async (request, actor) => {
      const ctx = hub.ctx(actor);
      const agent = request.query.get("agent");
      await hub.checkReads(ctx, given_by, agent === null ? {} : { agent });
      return connect(ctx, askedOf(request), (wanted, listener) =>
        listenTo(hub.feed, { space_id: actor.space_id, wanted }, listener),
      );
    },
  };
}

const askedOf = ({ request, params, query }: Request): RouteRequest => ({
  params,
  query,
  header: (name) => header(request, name),
});

/** From query, body and path. What the path says already is given nowhere else. */
function argumentsOf(
  { fixed, translate = (args) => args }: ToolRoute,
  tool: Tool,
  given: readonly string[],
  { params, query, body }: Request,
): Record<string, unknown> {
  const args = merged(readQuery(query, tool), body);
  const twice = given.find((name) => Object.hasOwn(args, name));
  if (twice) throw new ParleyError("INVALID_ARGUMENT", `${twice}: the address says it already.`);
  const named = Object.entries(params).filter(([name]) => name in tool.input.shape);
  return { ...translate(args), ...Object.fromEntries(named), ...fixed };
}

function merged(asked: Record<string, unknown>, body: unknown): Record<string, unknown> {
  if (body !== undefined && (typeof body !== "object" || body === null || Array.isArray(body)))
    throw new ParleyError("INVALID_ARGUMENT", "The body is a JSON object.");
  const given: Record<string, unknown> = { ...body };
  const twice = Object.keys(asked).find((name) => name in given && given[name] !== asked[name]);
  if (twice) throw new ParleyError("INVALID_ARGUMENT", `${twice.slice(0, 80)}: address and body differ.`);
  return { ...asked, ...given };
}

/** A query as arguments. What is not of the type that the tool takes stays a text, which it then refuses by its name. */
function readQuery(query: URLSearchParams, tool: Tool): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [name, text] of query) {
    if (Object.hasOwn(args, name)) throw new ParleyError("INVALID_ARGUMENT", `${name.slice(0, 80)}: given twice.`);
    // Not by assignment, which takes `__proto__` for something else.
    Object.defineProperty(args, name, { value: typed(text, typesOf(tool).get(name)), enumerable: true });
  }
  return args;
}

function typed(text: string, type: string | undefined): unknown {
  if ((type === "integer" || type === "number") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false|1|0)$/.test(text)) return text === "true" || text === "1";
  return text;
}

const known = new WeakMap<Tool, ReadonlyMap<string, string>>();

/** Of each argument that has one, its JSON type. */
function typesOf(tool: Tool): ReadonlyMap<string, string> {
  const found = known.get(tool);
  if (found) return found;
  const { properties = {} } = z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" });
  const types = Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === "object" && typeof schema.type === "string" ? [[name, schema.type] as const] : [],
  );
  const made = new Map<string, string>(types);
  known.set(tool, made);
  return made;
}
