import { z } from "zod";
import { KINDS } from "../errors.ts";
import type { Hub } from "../hub.ts";
import type { Tool } from "../tool.ts";
import { answer } from "./answer.ts";
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
    paths: Object.fromEntries(hub.tools.all.map((tool) => [`/api/tools/${tool.name}`, { post: operation(tool) }])),
  };
}

function operation(tool: Tool): object {
  const json = (schema: unknown): object => ({ content: { "application/json": { schema } } });
  const failures = Object.values(KINDS).map(({ status }) => [status, { description: "See the code.", ...json(ERROR) }]);
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    requestBody: { required: false, ...json(z.toJSONSchema(tool.input, { io: "input" })) },
    responses: {
      200: { description: "The tool's result.", ...json(z.toJSONSchema(tool.output)) },
      ...Object.fromEntries(failures),
    },
  };
}
