import type { Readable, Writable } from "node:stream";
import type { Write } from "./message.ts";

/** A message is at most what the hub takes as a body, and a little for the line around it. */
const LONGEST_LINE = 4 * 1024 * 1024 + 1024;
const NEWLINE = 0x0a;

/** The lines of `input`. Not by `node:readline`, which takes U+2028 for the end of one; JSON may hold it as it is. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    let rest = Buffer.from(chunk);
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      yield Buffer.concat([...parts, rest.subarray(0, at)]).toString("utf8");
      parts = [];
      length = 0;
      rest = rest.subarray(at + 1);
    }
    length += rest.length;
    if (length > LONGEST_LINE) throw new Error("A line is longer than any message may be.");
    parts.push(rest);
  }
  if (length > 0) yield Buffer.concat(parts).toString("utf8");
}

/** Waits for a client that reads slowly instead of keeping for it what the hub says. */
export function writerTo(output: Writable): Write {
  let drained: Promise<void> | undefined;
  // Nobody reads any more. What is left to say is said to nobody.
  output.on("error", () => {});
  return async (message) => {
    if (output.destroyed || output.writableEnded) return;
    if (output.write(`${JSON.stringify(message)}\n`)) return;
    drained ??= new Promise<void>((resolve) => {
      output.once("drain", resolve);
      output.once("close", resolve);
    }).finally(() => {
      drained = undefined;
    });
    await drained;
  };
}
