/** The SDK's own server with one trivial tool and one resource, served for both eras the way its documentation shows. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answerBench } from "./answering.ts";

const INBOX = "ui://chat/inbox";

function build(): McpServer {
  const server = new McpServer(
    { name: "bare", version: "1.0.0" },
    { capabilities: { resources: { subscribe: true } } },
  );
  server.registerTool(
    "chat_human_post",
    { description: "Says when", inputSchema: z.object({ content: z.string() }) },
    () => {
      const now = Date.now();
      const output = { id: String(now * 1000), ts: new Date(now).toISOString() };
      return { content: [{ type: "text", text: JSON.stringify(output) }], structuredContent: output };
    },
  );
  server.registerResource("inbox", INBOX, {}, (uri) => ({ contents: [{ uri: uri.href, text: "{}" }] }));
  return server;
}

const modern = createMcpHandler(build, { legacy: "reject", maxSubscriptions: 10_000 });
const serveModern = toNodeHandler(modern);
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function serveLegacy(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers["mcp-session-id"];
  const known = typeof id === "string" ? sessions.get(id) : undefined;
  await (known ?? (await open())).handleRequest(request, response);
}

async function open(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    // The hub answers with plain JSON too, which is the cheaper way.
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await build().connect(transport);
  return transport;
}

// A busy machine may take long to ask again.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  // Its type forbids the `undefined` that Node's has in optional members; the handler does not mind them.
  if (request.headers["mcp-method"]) void serveModern(request as NodeIncomingMessageLike, response);
  else void serveLegacy(request, response);
});

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
// An address is a text only for pipes.
answerBench({ port: (server.address() as AddressInfo).port });
