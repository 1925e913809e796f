import { z } from "zod";
import { KINDS } from "../errors.ts";
import type { Hub } from "../hub.ts";
import type { Tool } from "../tool.ts";
import { answer } from "./answer.ts";
import { ACTIONS } from "./mail.ts";
import type { Route } from "./router.ts";

const ERROR = { $ref: "#/components/schemas/Error" };

/** The HTTP contract, from the same definitions that serve it. */
export function openapiRoutes(hub: Hub): Route[] {
  const document = describe(hub);
  return [{ method: "GET", path: "/openapi.json", open: ({ response }) => answer(response, document) }];
}

function describe(hub: Hub): object {
  const error = z.toJSONSchema(z.object({ error: z.string(), code: z.string() }));
  return {
    openapi: "3.1.0",
    info: { title: "Parley", version: hub.version },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: error },
    },
    security: [{ token: [] }],
    paths: {
      ...Object.fromEntries(hub.tools.all.map((tool) => [`/api/tools/${tool.name}`, { post: operation(tool) }])),
      ...mailPaths(hub),
    },
  };
}

const json = (schema: unknown): object => ({ content: { "application/json": { schema } } });

function operation(tool: Tool): object {
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    requestBody: { required: false, ...json(z.toJSONSchema(tool.input, { io: "input" })) },
    responses: responses(tool),
  };
}

function responses({ output }: Tool, status = 200): object {
  const failures = Object.values(KINDS).map(({ status }) => [status, { description: "See the code.", ...json(ERROR) }]);
  return {
    [status]: { description: "The tool's result.", ...json(z.toJSONSchema(output)) },
    ...Object.fromEntries(failures),
  };
}

/** The addresses of `mail.ts`: each is one of a tool's calls, with some of its arguments in the address. */
function mailPaths(hub: Hub): object {
  const get = (name: string, given: readonly string[] = [], as = name): object => ({
    get: {
      summary: hub.tools.find(name).title,
      parameters: parameters(hub.tools.find(name), given),
      responses: responses(hub.tools.find(as)),
    },
  });
  const post = (name: string, given: readonly string[], status: number): object => {
    const tool = hub.tools.find(name);
    const { properties = {}, required = [], ...schema } = z.toJSONSchema(tool.input, { io: "input" });
    const left = Object.fromEntries(Object.entries(properties).filter(([name]) => !given.includes(name)));
    const body = { ...schema, properties: left, required: required.filter((name) => !given.includes(name)) };
    return {
      post: {
        summary: tool.title,
        parameters: given.includes("id") ? [ID] : [],
        requestBody: { required: false, ...json(body) },
        responses: responses(tool, status),
      },
    };
  };
  const changes = ACTIONS.map((action) => [
    `/api/messages/{id}/${action}`,
    post("mail_update", ["id", "ids", "action"], 200),
  ]);
  return {
    "/api/messages": { ...get("mail_inbox"), ...post("mail_send", [], 201) },
    "/api/messages/{id}": get("mail_thread", ["id", "limit", "before"], "mail_read"),
    "/api/messages/{id}/status": get("mail_status", ["id"]),
    "/api/messages/{id}/reply": post("mail_reply", ["id"], 201),
    ...Object.fromEntries(changes),
    "/api/thread/{id}": get("mail_thread", ["id"]),
  };
}

const ID = { name: "id", in: "path", required: true, schema: { type: "string" } };

function parameters({ input }: Tool, given: readonly string[]): object[] {
  const { properties = {} } = z.toJSONSchema(input, { io: "input" });
  const asked = Object.entries(properties).filter(([name]) => !given.includes(name));
  const inQuery = asked.map(([name, schema]) => ({ name, in: "query", required: false, schema }));
  return given.includes("id") ? [ID, ...inQuery] : inQuery;
}
