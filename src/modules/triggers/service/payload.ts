/** What came with a request, as text for a prompt: JSON line by line, a form as JSON, anything else as it is. */
import { isUtf8 } from "node:buffer";
import { storable } from "../../../text.ts";
import type { PayloadRow } from "../tables.ts";

export type Payload = Pick<PayloadRow, "media" | "payload">;

export type Parsed = Payload | { error: string };

/** Laid out line by line, deep nesting is mostly blanks: what would grow by more bytes than this is left as it came. */
const MOST_GROWTH = 1024 * 1024;
const MOST_DEPTH = 100;

export function parsePayload(bytes: Buffer, type: string | undefined): Parsed {
  if (!isUtf8(bytes)) return { error: "The body is not UTF-8" };
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  if (text.includes("\0")) return { error: "The body contains the character NUL" };
  const media = (type ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (media === "application/json" || media.endsWith("+json")) return text.trim() === "" ? empty() : json(text);
  if (media === "application/x-www-form-urlencoded") return form(text);
  const read = media === "" ? parsed(text) : undefined;
  return read ? pretty(text, read.value) : { media: "text", payload: text };
}

/** Of what is handed over by hand. */
export function payloadOf(value: unknown): Payload | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") return pretty(JSON.stringify(value), value);
  const read = /^\s*[{[]/.test(value) ? parsed(value) : undefined;
  return read ? pretty(value, read.value) : { media: "text", payload: value };
}

/** What it holds, for `valueAt`: nothing where it is no JSON. */
export const rootOf = ({ media, payload }: Payload): unknown => (media === "json" ? JSON.parse(payload) : undefined);

/** What a path leads to, such as `issue.labels.0`; undefined where there is nothing. */
export function valueAt(root: unknown, path: string): string | undefined {
  let value = root;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    // It has it as its own.
    value = (value as Record<string, unknown>)[part];
  }
  // JSON can spell what a body could not hold.
  return typeof value === "string" ? storable(value) : pretty(JSON.stringify(value), value).payload;
}

const empty = (): Payload => ({ media: "text", payload: "" });

function json(text: string): Parsed {
  const read = parsed(text);
  return read ? pretty(text, read.value) : { error: "Malformed JSON" };
}

/** A plain `curl -d '{…}'` calls JSON a form. */
function form(text: string): Parsed {
  const read = /^\s*[{[]/.test(text) ? parsed(text) : undefined;
  if (read) return pretty(text, read.value);
  const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  const entries = [...fields].map(([name, all]) => [
    name,
    all.length === 1 ? all[0]?.[1] : all.map(([, value]) => value),
  ]);
  const value = Object.fromEntries(entries);
  return pretty(JSON.stringify(value), value);
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** What is nested deeper than anybody looks into is text: to write it out anew would end the process. */
function pretty(text: string, value: unknown): Payload {
  const { depth, blanks } = shapeOf(text);
  if (depth > MOST_DEPTH) return { media: "text", payload: text };
  if (blanks > MOST_GROWTH) return { media: "json", payload: text };
  // Blanks are not all: `1e20` is written out as well.
  const laid_out = JSON.stringify(value, null, 2);
  const growth = Buffer.byteLength(laid_out) - Buffer.byteLength(text);
  return { media: "json", payload: growth > MOST_GROWTH ? text : laid_out };
}

/** How deep it is, and how many blanks would begin its lines. */
function shapeOf(text: string): { depth: number; blanks: number } {
  let [level, depth, blanks, inside] = [0, 0, 0, false];
  for (let at = 0; at < text.length && depth <= MOST_DEPTH; at += 1) {
    const sign = text[at];
    if (sign === '"') inside = !inside;
    else if (inside) at += sign === "\\" ? 1 : 0;
    else if (sign === "{" || sign === "[") level += 1;
    else if (sign === "}" || sign === "]") level -= 1;
    else if (sign !== ",") continue;
    if (!inside) blanks += 2 * level + 1;
    depth = Math.max(depth, level);
  }
  return { depth, blanks };
}
