/** As little as a forwarder from its standard streams to a socket can do: a line, a post on a connection that is kept, a line. */
import { Agent, request } from "node:http";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { answerBench } from "./answering.ts";

const { BARE_SOCKET = "" } = process.env;
const agent = new Agent({ keepAlive: true });
agent.createConnection = () => createConnection(BARE_SOCKET);

createInterface({ input: process.stdin }).on("line", (line) => {
  if (!("id" in JSON.parse(line))) return;
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(line) };
  const sent = request({ agent, method: "POST", path: "/", headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => process.stdout.write(`${Buffer.concat(chunks).toString("utf8")}\n`));
  });
  sent.end(line);
});
answerBench({});
