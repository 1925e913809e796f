import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { CallOptions } from "../call.ts";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { declared } from "../header.ts";
import type { Hub } from "../hub.ts";
import type { Tool } from "../tool.ts";
import { answer } from "./answer.ts";
import { limitOfTool } from "./body-limit.ts";
import type { Request, Route } from "./router.ts";

const BridgeCall = z.strictObject({
  server: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  agent: z.string().optional().describe("Whose runtime has mounted the server; left out for the hub's own."),
  wait_seconds: z.int().optional().describe("With agent: how long to wait for the result, at most 50 seconds."),
});
type BridgeCall = z.infer<typeof BridgeCall>;

const ok = z.literal(true);
const result = z.record(z.string(), z.unknown());
const BridgeAnswer = z.object({ ok, result });
const BridgeWaiting = z.object({
  ok,
  waiting: z.literal(true).describe("With agent: it is not over. The same call with the same Idempotency-Key goes on."),
  result,
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
        response: BridgeAnswer,
        waiting: BridgeWaiting,
      },
      handle: async ({ request, response, body }, actor) => {
        const { agent, wait_seconds, ...own } = bridgeCallIn(body);
        if (agent !== undefined) return callServer(hub, { request, response }, actor, { ...own, agent, wait_seconds });
        const tool = hub.tools.findOn(own.server, own.tool);
        const options = optionsOf(tool, request, response);
        await answer(response, { ok: true, result: await hub.call(actor, tool, own.arguments, options) });
      },
    },
  ];
}

function bridgeCallIn(body: unknown): BridgeCall {
  const call = BridgeCall.safeParse(body);
  if (call.success && (call.data.agent !== undefined || call.data.wait_seconds === undefined))
    // As they came: a record is parsed without what is called `__proto__`.
    return { ...call.data, arguments: (body as Partial<BridgeCall>).arguments ?? {} };
  throw new ParleyError(
    "INVALID_ARGUMENT",
    "The body is {server, tool, arguments, agent?}: texts, and arguments an object. With agent also wait_seconds, a number.",
  );
}

type Exchange = Pick<Request, "request" | "response">;

/** A server that the agent's runtime has mounted. What takes longer than a request may is answered with how it is. */
async function callServer(hub: Hub, { request, response }: Exchange, actor: Actor, call: BridgeCall): Promise<void> {
  const tool = hub.tools.find("agent_call");
  const { idempotency_key: key = randomUUID(), ...options } = optionsOf(tool, request, response);
  const result = await hub.call(actor, tool, { ...call, key }, options);
  // It is what this tool's own `run` gave.
  if (tool.waits?.isPending(result as never)) await answer(response, { ok: true, waiting: true, result }, 202);
  else await answer(response, { ok: true, result });
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
