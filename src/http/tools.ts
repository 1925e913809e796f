import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { CallOptions } from "../call.ts";
import { ParleyError } from "../errors.ts";
import { declared } from "../header.ts";
import type { Hub } from "../hub.ts";
import type { Tool } from "../tool.ts";
import { answer } from "./answer.ts";
import { limitOfTool } from "./body-limit.ts";
import type { Route } from "./router.ts";

const BridgeCall = z.strictObject({
  server: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

/** Every tool, over plain HTTP. */
export function toolRoutes(hub: Hub): Route[] {
  return [
    {
      method: "POST",
      path: "/api/tools/:name",
      nowhere: true,
      body: ({ params }) => limitOfTool(hub.tools.find(params.name ?? "")),
      handle: async ({ request, response, params, body }, actor) => {
        const tool = hub.tools.find(params.name ?? "");
        await answer(response, await hub.call(actor, tool, body, optionsOf(tool, request, response)));
      },
    },
    {
      method: "POST",
      path: "/api/mcp/call",
      nowhere: true,
      about: {
        summary: "Call a tool by the name of its server",
        body: BridgeCall,
        response: z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
      },
      handle: async ({ request, response, body }, actor) => {
        const call = BridgeCall.safeParse(body);
        if (!call.success)
          throw new ParleyError("INVALID_ARGUMENT", "The body is {server, tool, arguments}: two texts and an object.");
        const tool = hub.tools.findOn(call.data.server, call.data.tool);
        const options = optionsOf(tool, request, response);
        await answer(response, { ok: true, result: await hub.call(actor, tool, call.data.arguments, options) });
      },
    },
  ];
}

export function optionsOf({ waits }: Tool, request: IncomingMessage, response: ServerResponse): CallOptions {
  const options = { door: "http", ...declared(request) } as const;
  return waits ? { ...options, signal: patience(response) } : options;
}

/** Nothing moves on a connection while a tool waits, and nobody need wait when the other side has gone. */
function patience(response: ServerResponse): AbortSignal {
  response.setTimeout(0);
  const left = new AbortController();
  response.once("close", () => left.abort());
  return left.signal;
}
