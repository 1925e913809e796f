/** As little as a server on its standard streams can do that keeps what it is told: a line, a durable commit, a line. */
import { createInterface } from "node:readline";
import { openDurable } from "../support/durable.ts";
import { answerBench, folder } from "./answering.ts";

const keep = openDurable(folder);

createInterface({ input: process.stdin }).on("line", (line) => {
  // Nobody else writes to that stream.
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (id === undefined) return;
  if (method !== "initialize") keep(line);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
});
answerBench({});
