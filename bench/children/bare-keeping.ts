/** As little as a server behind a forwarder can do that keeps what it is told: a post, a durable commit, an answer. */
import { createServer } from "node:http";
import { join } from "node:path";
import { openDurable } from "../support/durable.ts";
import { answerBench, folder } from "./answering.ts";

const socket = join(folder, "bare.sock");
const keep = openDurable(folder);

// A busy machine may take long to ask again.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const line = Buffer.concat(chunks).toString("utf8");
    // Only the forwarder knows the socket.
    const { id, method } = JSON.parse(line) as { id: number; method: string };
    if (method !== "initialize") keep(line);
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: {} });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  });
});
await new Promise<void>((resolve) => server.listen(socket, resolve));
answerBench({ socket });
