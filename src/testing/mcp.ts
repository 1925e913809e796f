/** The official MCP clients of both eras behind one face, so that a promise can be tested with each of them. */
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  type McpSubscription,
  type Transport as Transport2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";

export interface Updated {
  uri: string;
  messages?: { id: string; author: string; content: string }[];
  _meta?: Record<string, unknown>;
}

export interface CallResult {
  isError?: boolean | undefined;
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown> | undefined;
}

export interface McpClient extends AsyncDisposable {
  /** Every `notifications/resources/updated`, in order. */
  readonly updates: Updated[];
  capabilities(): Record<string, unknown> | undefined;
  tools(): Promise<{ name: string; inputSchema: unknown; outputSchema?: unknown; annotations?: unknown }[]>;
  resources(): Promise<string[]>;
  templates(): Promise<string[]>;
  call(tool: string, args?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<CallResult>;
  read(uri: string): Promise<{ mime: string | undefined; body: Record<string, unknown> }>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
}

export interface Target {
  url: string;
  token: string;
  facet?: string;
  space?: string;
}

/** A program that speaks MCP on its standard streams. */
export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export type Connect = (target: Target) => Promise<McpClient>;

/** By the words a test's title uses. */
export const CLIENTS: Record<string, Connect> = {
  "a 2026-07-28 client": (target) => modern(new Http2(addressOf(target), headersOf(target))),
  "a 2025-11-25 client": (target) => legacy2(new Http2(addressOf(target), headersOf(target))),
  "a client of the first SDK": (target) => legacy1(new Http1(addressOf(target), headersOf(target))),
  "an HTTP+SSE client": (target) => legacy1(new Sse1(new URL("/sse", target.url), headersOf(target))),
};

export const STDIO_CLIENTS: Record<string, (program: Program) => Promise<McpClient>> = {
  "a 2026-07-28 client": (program) => modern(new Stdio2(program)),
  "a 2025-11-25 client": (program) => legacy2(new Stdio2(program)),
  "a client of the first SDK": (program) => legacy1(new Stdio1(program)),
};

const INFO = { name: "test", version: "1.0.0" };
const UpdatedParams = z.looseObject({ uri: z.string() });

const addressOf = ({ url, facet }: Target): URL => new URL(facet ? `/mcp/${facet}` : "/mcp", url);
const headersOf = ({ token, space }: Target) => ({
  requestInit: { headers: { authorization: `Bearer ${token}`, ...(space && { "x-session-id": space }) } },
});

async function modern(transport: Transport2): Promise<McpClient> {
  const client = new Client2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const open = new Map<string, McpSubscription>();
  return {
    ...(await connect2(client, transport)),
    async subscribe(uri) {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      if (!subscription.honoredFilter.resourceSubscriptions?.includes(uri)) throw new Error(`${uri} is not honoured`);
      open.set(uri, subscription);
    },
    unsubscribe: async (uri) => open.get(uri)?.close(),
  };
}

async function legacy2(transport: Transport2): Promise<McpClient> {
  const client = new Client2(INFO, { versionNegotiation: { mode: "legacy" } });
  return {
    ...(await connect2(client, transport)),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
  };
}

type WithoutSubscribing = Omit<McpClient, "subscribe" | "unsubscribe">;

async function connect2(client: Client2, transport: Transport2): Promise<WithoutSubscribing> {
  const updates: Updated[] = [];
  client.setNotificationHandler("notifications/resources/updated", { params: UpdatedParams }, (params) => {
    updates.push(params as Updated);
  });
  await client.connect(transport);
  return callsOf(client, updates);
}

async function legacy1(transport: Sse1 | Http1 | Stdio1): Promise<McpClient> {
  const client = new Client1(INFO);
  const updates: Updated[] = [];
  const Notification = z.object({ method: z.literal("notifications/resources/updated"), params: UpdatedParams });
  client.setNotificationHandler(Notification, ({ params }) => void updates.push(params as Updated));
  // Its own transports do not fit its interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport1);
  return {
    ...callsOf(client, updates),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
  };
}

/** What both of the official clients have in common. */
const callsOf = (client: Client1 | Client2, updates: Updated[]): WithoutSubscribing => ({
  updates,
  capabilities: () => client.getServerCapabilities(),
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
  templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate),
  call: async (name, args = {}, meta) =>
    (await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) })) as CallResult,
  read: async (uri) => contentOf(await client.readResource({ uri })),
  [Symbol.asyncDispose]: () => client.close(),
});

function contentOf({ contents }: { contents: { mimeType?: string | undefined; text?: unknown }[] }) {
  const [first] = contents;
  return { mime: first?.mimeType, body: JSON.parse(String(first?.text)) };
}
