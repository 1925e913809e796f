/** A JSON-RPC message, as far as a forwarder looks at it. */
export interface Message {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: Params;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

interface Params {
  name?: unknown;
  uri?: unknown;
  taskId?: unknown;
  requestId?: unknown;
  subscription_id?: unknown;
  arguments?: Record<string, unknown>;
  notifications?: { resourceSubscriptions?: string[]; "parley/scratchpad"?: { position?: string } };
  _meta?: Record<string, unknown>;
  reason?: string;
  timestamp?: string;
}

export type Write = (message: Message) => Promise<void>;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Undefined for what is no JSON-RPC message. */
export function parseMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // The hub checks the rest; here it only has to be an object.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

/** The revision a message of the era without sessions names; undefined for the older era. */
export function revisionOf(message: Message): string | undefined {
  const revision = message.params?._meta?.[VERSION_KEY];
  return typeof revision === "string" ? revision : undefined;
}

export const isRequest = (message: Message): boolean => message.method !== undefined && message.id !== undefined;

export const updated = (uri: string, _meta: Record<string, unknown> = {}): Message => ({
  jsonrpc: "2.0",
  method: "notifications/resources/updated",
  // `_meta` is all a hint may hold beside the URI.
  params: { uri, _meta },
});

/** Something may have been missed that nobody can tell any more. */
export const resync = (reason: string): Message => ({
  jsonrpc: "2.0",
  method: "scratchpad/resync",
  params: { reason, timestamp: new Date().toISOString() },
});

/**
 * Whether it may be sent again when nobody knows if it arrived. Only tools change anything, and one
 * called with a key of its own is not run twice. An attempt at a task is completed once, however often that is said.
 */
export const isRepeatable = ({ method, params }: Message): boolean =>
  method !== "tools/call" ||
  typeof params?.arguments?.idempotency_key === "string" ||
  (params?.name === "task_complete" && typeof params.arguments?.attempt === "number");
