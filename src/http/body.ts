import type { IncomingMessage } from "node:http";
import { ParleyError } from "../errors.ts";

export const MOST_BODY_BYTES = 4 * 1024 * 1024;
/** Deeper JSON than this is nobody's request, and what recurses over it would end the process. */
const MOST_DEPTH = 64;

/** The request's JSON, read and parsed once for whichever door gets it; undefined for an empty body. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ParleyError("INVALID_JSON", "The body is not JSON.", { cause: error });
  }
  if (isDeeper(value, MOST_DEPTH))
    throw new ParleyError("INVALID_JSON", `The body is nested deeper than ${MOST_DEPTH} levels.`);
  return value;
}

async function readText(request: IncomingMessage): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > MOST_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) {
        request.pause();
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.on("end", () =>
      resolve((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString("utf8")),
    );
    request.on("error", reject);
    request.on("close", () => reject(new ParleyError("INVALID_JSON", "The body ended early.")));
  });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

const tooLarge = (): ParleyError =>
  new ParleyError("BODY_TOO_LARGE", `A request's body holds at most ${MOST_BODY_BYTES} bytes.`);
