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
import type { DatabaseName } from "./databases.ts";

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
  /** Every notification that is none of the specification's, in order. */
  readonly notified: Notified[];
  /** Asks for notifications by name; what is returned ends that. */
  follow(wish?: { session_id?: string; events?: string[]; after?: string }): Promise<() => Promise<void>>;
  /** In the newer era: once what is followed has ended without having been asked to. A session opens its stream again. */
  readonly ended?: () => Promise<unknown>;
}

export interface Notified {
  method: string;
  params: Record<string, unknown> & { _meta?: Record<string, unknown> | undefined };
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
  "an HTTP+SSE client": (target) => legacy1(new Sse1(addressOf(target, "/sse"), headersOf(target))),
};

/** On other databases than the first one of them stands for all: what each is sent differs by client alone. */
export const clientsOn = (database: DatabaseName): [string, Connect][] =>
  Object.entries(CLIENTS).slice(0, database === "sqlite" ? undefined : 1);

export const STDIO_CLIENTS: Record<string, (program: Program) => Promise<McpClient>> = {
  "a 2026-07-28 client": (program) => modern(new Stdio2(program)),
  "a 2025-11-25 client": (program) => legacy2(new Stdio2(program)),
  "a client of the first SDK": (program) => legacy1(new Stdio1(program)),
};

const INFO = { name: "test", version: "1.0.0" };
const UpdatedParams = z.looseObject({ uri: z.string() });

const addressOf = ({ url, facet }: Target, path = "/mcp"): URL => new URL(facet ? `${path}/${facet}` : path, url);
const headersOf = ({ token, space }: Target) => ({
  requestInit: { headers: { authorization: `Bearer ${token}`, ...(space && { "x-session-id": space }) } },
});

async function modern(transport: Transport2): Promise<McpClient> {
  const client = new Client2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const open = new Map<string, McpSubscription>();
  let followed: McpSubscription | undefined;
  return {
    ...(await connect2(client, transport)),
    async subscribe(uri) {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      if (!subscription.honoredFilter.resourceSubscriptions?.includes(uri)) throw new Error(`${uri} is not honoured`);
      open.set(uri, subscription);
    },
    unsubscribe: async (uri) => open.get(uri)?.close(),
    async follow(wish = {}) {
      // Of filters its type knows only the specification's.
      const subscription = await client.listen({ "parley/scratchpad": wish } as object);
      followed = subscription;
      return () => subscription.close();
    },
    ended: async () => followed?.closed,
  };
}

async function legacy2(transport: Transport2): Promise<McpClient> {
  const client = new Client2(INFO, { versionNegotiation: { mode: "legacy" } });
  return {
    ...(await connect2(client, transport)),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
    follow: (wish) => following((method, params) => client.request({ method, params }, Followed), wish),
  };
}

type WithoutSubscribing = Omit<McpClient, "subscribe" | "unsubscribe" | "follow">;

async function connect2(client: Client2, transport: Transport2): Promise<WithoutSubscribing> {
  const updates: Updated[] = [];
  client.setNotificationHandler("notifications/resources/updated", { params: UpdatedParams }, (params) => {
    updates.push(params as Updated);
  });
  const notified = notifiedOf(client);
  await client.connect(transport);
  return callsOf(client, { updates, notified });
}

async function legacy1(transport: Sse1 | Http1 | Stdio1): Promise<McpClient> {
  const client = new Client1(INFO);
  const updates: Updated[] = [];
  const Notification = z.object({ method: z.literal("notifications/resources/updated"), params: UpdatedParams });
  client.setNotificationHandler(Notification, ({ params }) => void updates.push(params as Updated));
  const notified = notifiedOf(client);
  // Its own transports do not fit its interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport1);
  return {
    ...callsOf(client, { updates, notified }),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
    follow: (wish) => following((method, params) => client.request({ method, params }, Followed), wish),
  };
}

const Followed = z.looseObject({ subscription_id: z.string().optional() });

/** As a session asks for notifications. */
async function following(
  ask: (method: string, params: Record<string, unknown>) => Promise<z.output<typeof Followed>>,
  wish: Record<string, unknown> = {},
): Promise<() => Promise<void>> {
  const { subscription_id } = await ask("notifications/subscribe", wish);
  return async () => void (await ask("notifications/unsubscribe", { subscription_id }));
}

/** What both of the official clients have in common. */
const callsOf = (client: Client1 | Client2, told: Pick<McpClient, "updates" | "notified">): WithoutSubscribing => ({
  ...told,
  capabilities: () => client.getServerCapabilities(),
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
  templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate),
  call: async (name, args = {}, meta) =>
    (await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) })) as CallResult,
  read: async (uri) => contentOf(await client.readResource({ uri })),
  [Symbol.asyncDispose]: () => client.close(),
});

/** From before it connects: nothing is told unheard. */
function notifiedOf(client: Client1 | Client2): Notified[] {
  const notified: Notified[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notified.push({ method, params: { ...params } });
  };
  return notified;
}

function contentOf({ contents }: { contents: { mimeType?: string | undefined; text?: unknown }[] }) {
  const [first] = contents;
  return { mime: first?.mimeType, body: JSON.parse(String(first?.text)) };
}
