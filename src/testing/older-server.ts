import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { onTestFinished } from "vitest";

/** An MCP server of the 2025 era at an address, by the first SDK. Its tool `who` says by which `Authorization` it was called. */
export async function olderServer(): Promise<{ url: string; stop: () => Promise<void>; start: () => Promise<void> }> {
  let port = 0;
  const http = createServer(async (request, response) => {
    const server = new McpServer({ name: "older", version: "1.0.0" });
    server.registerTool("who", { description: "who asks" }, () => ({
      content: [{ type: "text", text: request.headers.authorization ?? "nobody" }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    response.on("close", () => void transport.close());
    // The first SDK's own types do not know `exactOptionalPropertyTypes`.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response);
  });
  const start = (): Promise<void> =>
    new Promise((resolve) =>
      http.listen(port, "127.0.0.1", () => {
        port = (http.address() as AddressInfo).port;
        resolve();
      }),
    );
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  await start();
  onTestFinished(async () => {
    if (http.listening) await stop();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, start, stop };
}
