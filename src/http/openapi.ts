import { z } from "zod";
import { KINDS } from "../errors.ts";
import type { Hub } from "../hub.ts";
import type { Tool } from "../tool.ts";
import { answer } from "./answer.ts";
import { type About, paramsOf, type Route } from "./router.ts";

const ERROR = { $ref: "#/components/schemas/Error" };

/** The HTTP contract, from the same definitions that serve it. */
export function openapiRoute(hub: Hub, routes: readonly Route[]): Route {
  let document: object | undefined;
  const own: Route = {
    method: "GET",
    path: "/openapi.json",
    about: { summary: "This contract", response: z.object({}) },
    open: ({ response }) => {
      // Made when it is first asked for: it takes a fifth of a hub's start, and most hubs are never asked.
      document ??= describe(hub, [...routes, own]);
      return answer(response, document);
    },
  };
  return own;
}

function describe(hub: Hub, routes: readonly Route[]): object {
  const error = z.toJSONSchema(z.object({ error: z.string(), code: z.string() }));
  const paths: Record<string, Record<string, object>> = Object.fromEntries(
    hub.tools.all.map((tool) => [`/api/tools/${tool.name}`, { post: operation(tool) }]),
  );
  for (const { method, path, about, open } of routes) {
    if (!about) continue;
    const written = path.replaceAll(/:([^/]+)/g, "{$1}");
    paths[written] = {
      ...paths[written],
      [method.toLowerCase()]: operationAt(hub, { method, path, about, open: !!open }),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Parley", version: hub.version },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: error },
    },
    security: [{ token: [] }],
    paths,
  };
}

const inMedia = (media: string, schema: unknown): object => ({ content: { [media]: { schema } } });
const json = (schema: unknown): object => inMedia("application/json", schema);

function operation(tool: Tool): object {
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    requestBody: { required: false, ...json(z.toJSONSchema(tool.input, { io: "input" })) },
    responses: responses(json(z.toJSONSchema(tool.output))),
  };
}

function responses(result: object, status = 200): object {
  const failures = Object.values(KINDS).map(({ status }) => [status, { description: "See the code.", ...json(ERROR) }]);
  return { [status]: { description: "The result.", ...result }, ...Object.fromEntries(failures) };
}

function operationAt(
  hub: Hub,
  { method, path, about, open }: { method: string; path: string; about: About; open: boolean },
): object {
  const { summary, status } = about;
  const tool = about.tool === undefined ? undefined : hub.tools.find(about.tool);
  const fields = tool ? fieldsOf(tool, about.given ?? []) : undefined;
  const inQuery = method === "GET" ? Object.entries(fields?.properties ?? {}) : [];
  const parameters = [
    ...paramsOf(path).map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...inQuery.map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    ...Object.entries(about.query ?? {}).map(([name, description]) => ({
      name,
      description,
      in: "query",
      required: false,
      schema: { type: "string" },
    })),
  ];
  const body = about.body ? z.toJSONSchema(about.body, { io: "input" }) : fields;
  return {
    summary,
    ...(tool && { "x-parley-tool": tool.name }),
    ...(open && { security: [] }),
    parameters,
    ...(method === "POST" && body && { requestBody: { required: false, ...json(body) } }),
    responses: {
      ...responses(resultOf(about, tool), status),
      ...(about.waiting && { 202: { description: "It is not over.", ...json(z.toJSONSchema(about.waiting)) } }),
    },
  };
}

function resultOf({ response, media }: About, tool: Tool | undefined): object {
  if (media) return inMedia(media, { type: "string" });
  const schema = tool?.output ?? response;
  return schema ? json(z.toJSONSchema(schema)) : {};
}

/** A tool's arguments without those that the address says. */
function fieldsOf({ input }: Tool, given: readonly string[]) {
  const { properties = {}, required = [], ...schema } = z.toJSONSchema(input, { io: "input" });
  const left = Object.entries(properties).filter(([name]) => !given.includes(name));
  return {
    ...schema,
    properties: Object.fromEntries(left),
    required: required.filter((name) => !given.includes(name)),
  };
}
