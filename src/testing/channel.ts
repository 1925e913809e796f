/** A client that takes a channel as Claude Code documents it, by each of the official SDKs. */
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import type { CallResult, Program } from "./mcp.ts";

const Pushed = z.object({ content: z.string(), meta: z.record(z.string(), z.string()).default({}) });
export type Pushed = z.infer<typeof Pushed>;
const Permitted = z.object({ request_id: z.string(), behavior: z.enum(["allow", "deny"]) });
export type Permitted = z.infer<typeof Permitted>;

const PUSH = "notifications/claude/channel";
const PERMISSION = "notifications/claude/channel/permission";
const REQUEST = "notifications/claude/channel/permission_request";

export interface ChannelClient extends AsyncDisposable {
  /** In the order they came. */
  readonly pushes: Pushed[];
  readonly permissions: Permitted[];
  /** `legacy`, or the channel would be refused. */
  readonly era: string;
  readonly experimental: Record<string, unknown>;
  readonly instructions: string;
  tools(): Promise<string[]>;
  reply(chat_id: string, text: string): Promise<CallResult>;
  askPermission(request: {
    request_id: string;
    tool_name: string;
    description: string;
    input_preview: string;
  }): Promise<void>;
}

export type ConnectChannel = (program: Program) => Promise<ChannelClient>;

/** By the words a test's title uses. */
export const CHANNEL_CLIENTS: Record<string, ConnectChannel> = {
  "a 2025-11-25 client": (program) => connect2(program, "legacy"),
  "a client that would speak 2026-07-28 if it could": (program) => connect2(program, "auto"),
  "a client of the first SDK": connect1,
};

const INFO = { name: "claude-code", version: "2.1.325" };

async function connect2(program: Program, mode: "legacy" | "auto"): Promise<ChannelClient> {
  const client = new Client2(INFO, { versionNegotiation: { mode } });
  const pushes: Pushed[] = [];
  const permissions: Permitted[] = [];
  client.setNotificationHandler(PUSH, { params: Pushed }, (push) => void pushes.push(push));
  client.setNotificationHandler(PERMISSION, { params: Permitted }, (answer) => void permissions.push(answer));
  await client.connect(new Stdio2({ ...program, stderr: "ignore" }));
  return {
    pushes,
    permissions,
    era: client.getProtocolEra() ?? "",
    experimental: client.getServerCapabilities()?.experimental ?? {},
    instructions: client.getInstructions() ?? "",
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    reply: async (chat_id, text) =>
      (await client.callTool({ name: "reply", arguments: { chat_id, text } })) as CallResult,
    askPermission: (params) => client.notification({ method: REQUEST, params }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connect1(program: Program): Promise<ChannelClient> {
  const client = new Client1(INFO);
  const pushes: Pushed[] = [];
  const permissions: Permitted[] = [];
  client.setNotificationHandler(
    z.object({ method: z.literal(PUSH), params: Pushed }),
    ({ params }) => void pushes.push(params),
  );
  client.setNotificationHandler(
    z.object({ method: z.literal(PERMISSION), params: Permitted }),
    ({ params }) => void permissions.push(params),
  );
  // Its own transports do not fit its interface under exactOptionalPropertyTypes.
  await client.connect(new Stdio1({ ...program, stderr: "ignore" }) as Transport1);
  return {
    pushes,
    permissions,
    // It knows no other.
    era: "legacy",
    experimental: client.getServerCapabilities()?.experimental ?? {},
    instructions: client.getInstructions() ?? "",
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    reply: async (chat_id, text) =>
      (await client.callTool({ name: "reply", arguments: { chat_id, text } })) as CallResult,
    // Its types know the notifications of the specification alone.
    askPermission: (params) => client.notification({ method: REQUEST, params } as never),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
