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

const ENVELOPE = ["jsonrpc", "id", "method", "params"];
/** Whose keys the SDK reads in `_meta`. */
const OF_PROTOCOL = "io.modelcontextprotocol/";

/**
 * Whether it is a call of a tool and nothing else, of the era that says nothing of itself in `_meta`. The SDK finds out by
 * trying one schema of a message after another, and takes longer for each that does not fit than the rest of the door does.
 */
export function isPlainCall(body: unknown): body is JSONRPCRequest {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  for (const key in body) if (!ENVELOPE.includes(key)) return false;
  const { jsonrpc, id, method, params }: Partial<JSONRPCRequest> = body;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isUsual(params)) return false;
  for (const key in params._meta) if (key.startsWith(OF_PROTOCOL)) return false;
  return typeof id === "string" || Number.isSafeInteger(id);
}

const USUAL = ["name", "arguments", "_meta"];

function isUsual(params: JSONRPCRequest["params"]): params is Params {
  if (!params || typeof params.name !== "string") return false;
  if (!isMissingOrObject(params.arguments) || !isMissingOrObject(params._meta)) return false;
  for (const key in params) if (!USUAL.includes(key)) return false;
  const token = params._meta?.progressToken;
  return token === undefined || typeof token === "string" || Number.isInteger(token);
}

const isMissingOrObject = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
