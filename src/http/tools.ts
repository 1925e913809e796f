import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { answer } from "./answer.ts";
import { readJson } from "./body.ts";
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
      path: "/api/tools/*",
      handle: async ({ request, response, rest }, actor) => {
        const tool = hub.tools.find(decodeURIComponent(rest));
        const args = await readJson(request);
        await answer(response, await hub.call(actor, tool, args, { door: "http", idempotency_key: keyOf(request) }));
      },
    },
    {
      method: "POST",
      path: "/api/mcp/call",
      handle: async ({ request, response }, actor) => {
        const call = BridgeCall.safeParse(await readJson(request));
        if (!call.success)
          throw new ParleyError("INVALID_ARGUMENT", "The body is {server, tool, arguments}: two texts and an object.");
        const tool = hub.tools.findOn(call.data.server, call.data.tool);
        const options = { door: "http", idempotency_key: keyOf(request) } as const;
        await answer(response, { ok: true, result: await hub.call(actor, tool, call.data.arguments, options) });
      },
    },
  ];
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key[0] : key;
}
