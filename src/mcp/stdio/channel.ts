import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { type CallToolResult, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { VERSION } from "../../version.ts";

/** Shown to the model as `<channel source="…" KEY="VALUE" …>content</channel>`. */
export interface Push {
  content: string;
  meta: Record<string, string>;
}

const PermissionRequest = z.object({
  // Five letters today. It is only handed back, so more may come.
  request_id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  tool_name: z.string(),
  description: z.string().default(""),
  input_preview: z.string().default(""),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export interface Permission {
  request_id: string;
  behavior: "allow" | "deny";
}

const Reply = z.strictObject({ chat_id: z.string(), text: z.string().refine((text) => text.trim() !== "") });
export type Reply = z.infer<typeof Reply>;

export interface ChannelOptions {
  input: Readable;
  output: Writable;
  instructions: string;
  /** The model speaks. What is returned or thrown is told to it. The key is the same for the same request alone. */
  reply: (reply: Reply, key: string) => Promise<string>;
  /** The client asks whether a tool may be used. */
  asked: (request: PermissionRequest) => void;
  report: (error: unknown) => void;
}

const REPLY_TOOL = {
  name: "reply",
  title: "Reply",
  description:
    "Answers a message that came through this channel. The only way its sender sees what you say. Pass the chat_id that stood on the message.",
  inputSchema: {
    type: "object" as const,
    properties: {
      chat_id: { type: "string", description: "As on the message: chat, or mail: and a number." },
      text: { type: "string", description: "What you say, in Markdown." },
    },
    required: ["chat_id", "text"],
    additionalProperties: false,
  },
};

/**
 * A server for a client that takes what is pushed to it as a channel (Claude Code). Wired by hand to the transport and
 * only of the eras with `initialize`: a client that negotiates 2026-07-28 has no way for a push that nobody asked for,
 * and refuses the channel.
 */
export class Channel {
  /** Resolves when the client takes pushes. */
  readonly initialized: Promise<void>;
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>;
  readonly #server: Server;

  static async open(options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(options);
    await channel.#server.connect(new StdioServerTransport(options.input, options.output));
    return channel;
  }

  private constructor({ instructions, reply, asked, report }: ChannelOptions) {
    const server = new Server(
      { name: "parley", title: "Parley", version: VERSION },
      {
        capabilities: { tools: {}, experimental: { "claude/channel": {}, "claude/channel/permission": {} } },
        instructions,
      },
    );
    const { promise: initialized, resolve: initialize } = Promise.withResolvers<void>();
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    server.oninitialized = () => initialize();
    server.onclose = () => close();
    server.onerror = report;
    const connection = randomUUID();
    server.setRequestHandler("tools/list", () => ({ tools: [REPLY_TOOL] }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
      called(params, (given) => reply(given, `channel-${connection}-${typeof mcpReq.id}-${mcpReq.id}`)),
    );
    server.setNotificationHandler(
      "notifications/claude/channel/permission_request",
      { params: PermissionRequest },
      (request) => asked(request),
    );
    this.#server = server;
    this.initialized = initialized;
    this.closed = closed;
  }

  /** Resolves when it has been handed over, which is all there is to know: the client does not acknowledge. */
  push({ content, meta }: Push): Promise<void> {
    return this.#server.notification({ method: "notifications/claude/channel", params: { content, meta } });
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  permit({ request_id, behavior }: Permission): Promise<void> {
    return this.#server.notification({
      method: "notifications/claude/channel/permission",
      params: { request_id, behavior },
    });
  }
}

async function called(
  { name, arguments: args }: { name: string; arguments?: Record<string, unknown> | undefined },
  reply: (given: Reply) => Promise<string>,
): Promise<CallToolResult> {
  const parsed = name === REPLY_TOOL.name ? Reply.safeParse(args) : undefined;
  if (!parsed) return failed("There is one tool here: reply.");
  if (!parsed.success) return failed("reply takes chat_id, as on the message, and text, which is not empty.");
  try {
    return { content: [{ type: "text", text: await reply(parsed.data) }] };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] });
