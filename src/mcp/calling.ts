import type { CallToolRequest, CallToolResult, JSONRPCRequest } from "@modelcontextprotocol/server";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { internalError } from "./errors.ts";
import type { Caller } from "./exchange.ts";
import { failedWith, found } from "./results.ts";

type Params = CallToolRequest["params"];

interface Calling {
  caller: Caller;
  signal: AbortSignal;
}

export async function callTool(hub: Hub, { caller, signal }: Calling, params: Params): Promise<CallToolResult> {
  const tool = hub.tools.find(params.name);
  const { actor, idempotency_key } = caller;
  const cause = causeIn(params) ?? caller.cause;
  try {
    const output = await hub.call(actor, tool, params.arguments ?? {}, {
      door: "mcp",
      signal,
      ...(idempotency_key !== undefined && { idempotency_key }),
      ...(cause !== undefined && { cause }),
    });
    return found(output, { bare: params._meta?.["parley/bare"] === true });
  } catch (error) {
    // What else can be thrown is a bug, and `call` has logged it whole.
    if (!(error instanceof ParleyError)) throw internalError(error);
    if (error.code === "OUTCOME_UNKNOWN") caller.drop();
    return failedWith(error);
  }
}

/** What led to this very call. What is no text is no id, which is for `call` to say. */
const causeIn = ({ _meta }: Params): string | undefined => {
  const cause = _meta?.["parley/cause"];
  // An object may say of itself that it has no words.
  if (typeof cause === "object") return "";
  return cause === undefined ? undefined : String(cause);
};

/** Throws `ProtocolError`. */
export type DirectCall = (calling: Calling) => Promise<CallToolResult>;

/**
 * A call of a tool in the form in which clients of the older era send it. The SDK would check request and answer against
 * its schemas and make a context of which such a call uses nothing: that costs more than most tools do. Undefined for what
 * needs the SDK to ask somebody, and for all that could be wrong, of which it knows each rule.
 */
export function directCall(hub: Hub, { method, params }: JSONRPCRequest): DirectCall | undefined {
  if (method !== "tools/call" || !isUsual(params)) return undefined;
  const tool = hub.tools.lookUp(params.name);
  if (!tool || tool.waits?.form) return undefined;
  return (calling) => callTool(hub, calling, params);
}

const USUAL = ["name", "arguments", "_meta"];

function isUsual(params: JSONRPCRequest["params"]): params is Params {
  if (params === undefined || typeof params.name !== "string") return false;
  if (!isMissingOrObject(params.arguments) || !isMissingOrObject(params._meta)) return false;
  for (const key in params) if (!USUAL.includes(key)) return false;
  const token = params._meta?.progressToken;
  return token === undefined || typeof token === "string" || Number.isInteger(token);
}

const isMissingOrObject = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
