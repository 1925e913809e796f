import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import { checkShape } from "./json-shape.ts";

export const MOST_BODY_BYTES = 4 * 1024 * 1024;

/** The request's JSON, read and parsed once for whichever door gets it; undefined for an empty body. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === "") return undefined;
  checkShape(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ParleyError("INVALID_JSON", "The body is not JSON.", { cause: error });
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const encoding = header(request, "content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    throw new ParleyError("UNSUPPORTED_MEDIA_TYPE", "The body is compressed. Send it as it is.");
  const bytes = await readBytes(request);
  if (!isUtf8(bytes)) throw new ParleyError("INVALID_TEXT", "The body is not UTF-8.");
  return bytes.toString("utf8");
}

/** What is too large is read on and forgotten: whoever sends first and reads then would not get to see the answer. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(header(request, "content-length") ?? 0) > MOST_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MOST_BODY_BYTES) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge());
      }
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", (cause) => reject(endedEarly(cause)));
    // Only where it did: an error made for nothing on every request costs a sixth of it.
    request.on("close", () => request.complete || reject(endedEarly()));
  });
}

const endedEarly = (cause?: Error): ParleyError => new ParleyError("INVALID_JSON", "The body ended early.", { cause });

const tooLarge = (): ParleyError =>
  new ParleyError("BODY_TOO_LARGE", `A request's body holds at most ${MOST_BODY_BYTES} bytes.`);
