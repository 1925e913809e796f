/** As little as a long-poll can be: who asks for `/wait` is answered when the next one posts anything else. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBench } from "./answering.ts";

const waiting = new Set<ServerResponse>();

// A busy machine may take long to ask again.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (request.url === "/wait") return waiting.add(response);
    send(response, { id: String(Date.now() * 1000) });
    for (const each of waiting) send(each, { messages: [body] });
    waiting.clear();
  });
});

function send(response: ServerResponse, value: object): void {
  const text = JSON.stringify(value);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
// An address is a text only for pipes.
answerBench({ port: (server.address() as AddressInfo).port });
