import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { BodyLimit } from "./body-limit.ts";
import { checkShape } from "./json-shape.ts";

/**
 * The request's JSON, read and parsed once for whichever door gets it; undefined for an empty body. `pay` is told its
 * bytes before anything is done with them, and may refuse or put off.
 */
export async function readJson(
  request: IncomingMessage,
  { bytes: most_bytes, values }: BodyLimit,
  pay: (bytes: number) => Promise<void> | void = () => {},
): Promise<unknown> {
  const text = await readText(request, most_bytes, pay);
  if (text.trim() === "") return undefined;
  checkShape(text, values);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ParleyError("INVALID_JSON", "The body is not JSON.", { cause: error });
  }
}

async function readText(
  request: IncomingMessage,
  most_bytes: number,
  pay: (bytes: number) => Promise<void> | void,
): Promise<string> {
  const encoding = header(request, "content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    throw new ParleyError("UNSUPPORTED_MEDIA_TYPE", "The body is compressed. Send it as it is.");
  const bytes = await readBytes(request, most_bytes);
  await pay(bytes.length);
  if (!isUtf8(bytes)) throw new ParleyError("INVALID_TEXT", "The body is not UTF-8.");
  return bytes.toString("utf8");
}

/** The request's body as it came. What is too large is not read any further: it is answered, and the connection with it is over. */
export function readBytes(request: IncomingMessage, most_bytes: number): Promise<Buffer> {
  if (Number(header(request, "content-length") ?? 0) > most_bytes) throw tooLarge(most_bytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= most_bytes) chunks.push(chunk);
      else {
        request.pause();
        chunks.length = 0;
        reject(tooLarge(most_bytes));
      }
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", (cause) => reject(endedEarly(cause)));
    // Only where it did: an error made for nothing on every request costs a sixth of it.
    request.on("close", () => request.complete || reject(endedEarly()));
  });
}

const endedEarly = (cause?: Error): ParleyError => new ParleyError("INVALID_JSON", "The body ended early.", { cause });

const tooLarge = (most_bytes: number): ParleyError =>
  new ParleyError("BODY_TOO_LARGE", `The body of this request holds at most ${most_bytes} bytes.`);
