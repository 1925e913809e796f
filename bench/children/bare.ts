/** As little as `node:http` can do: answers a post with the same JSON, and sends the same frame to everybody who listens. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBench } from "./answering.ts";

const listeners = new Set<ServerResponse>();
let frame = Buffer.alloc(0);

// A busy machine may take long to ask again.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.method === "GET" || request.headers["mcp-method"] === "subscriptions/listen") listen(request, response);
  else post(request, response);
});

function post(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { content } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof content !== "string") throw new Error("not the request that the hub gets");
    for (const listener of listeners) listener.write(frame);
    const now = Date.now();
    const text = JSON.stringify({ id: String(now * 1000), ts: new Date(now).toISOString() });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  });
}

function listen(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  listeners.add(response);
  response.on("close", () => listeners.delete(response));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write("retry: 1000\n\n");
}

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
// An address is a text only for pipes.
answerBench(
  { port: (server.address() as AddressInfo).port },
  {
    frame: ({ text }: { text: string }) => {
      frame = Buffer.from(text);
    },
    listeners: () => listeners.size,
  },
);
