import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Message {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; name?: string };
}

/** How a call is answered: whatever a stranger's server may send. */
export type RawAnswer = (response: ServerResponse, id: number) => void;

/** An MCP server of the 2025 era at an address, without any library: its tools answer as the test says, or misbehave. */
export async function rawServer(tools: Record<string, RawAnswer>): Promise<string> {
  const http = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params = {} }: Message = JSON.parse(text);
    if (id === undefined) return void response.writeHead(202).end();
    const call = method === "tools/call" ? tools[params.name ?? ""] : undefined;
    if (call) return call(response, id);
    const { protocolVersion } = params;
    const results: Record<string, object> = {
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1.0.0" } },
      "tools/list": { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) },
    };
    const result = results[method];
    const told = result ? { result } : { error: { code: -32601, message: `There is no ${method}.` } };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...told }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}
