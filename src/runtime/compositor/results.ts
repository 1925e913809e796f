/** What a tool of another server gave, as the model is told it. */
import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { failure, type ToolResult } from "../toolset.ts";

/** By these the hub's policy speaks ([approvals](../../../docs/design/approvals.md)): from a server they are forged. */
const POLICY_CODES: readonly unknown[] = [-32950, -32951, -32953];
const FORGED = -32952;
/** So many characters of a resource a model is told. */
const MOST_READ = 100_000;

export function resultOf(server: string, { isError, content, structuredContent }: CallToolResult): ToolResult {
  const texts = content.map(textOf);
  const output = texts.length > 0 ? texts.join("\n") : JSON.stringify(structuredContent ?? {});
  // A model is told all of them as one: together they may say what none of them says.
  if (isForged(structuredContent) || [output, ...texts].some((text) => isForged(objectIn(text)))) return forged(server);
  return { outcome: isError ? "failed" : "done", output };
}

/**
 * What a resource holds, from a character of its texts on, which are counted through: texts up to a bound with the place
 * to read on from, and of what is no text how much it is.
 */
export function contentsOf({ contents }: ReadResourceResult, offset = 0): ToolResult {
  const length = contents.reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0);
  let [skip, left, at] = [offset, MOST_READ, Math.min(offset, length)];
  const shown = contents.map((part) => {
    const common = { uri: part.uri, ...(part.mimeType !== undefined && { mime_type: part.mimeType }) };
    if (!("text" in part)) return { ...common, note: `This is no text: ${part.blob.length} characters of base64.` };
    const from = Math.min(skip, part.text.length);
    const text = upTo(part.text.slice(from), left);
    const is_cut = from + text.length < part.text.length;
    // Behind what is cut nothing is told, however much would fit.
    [skip, left, at] = [skip - from, is_cut ? 0 : left - text.length, at + text.length];
    return { ...common, text: text.toWellFormed() };
  });
  const more = at < length && { next_offset: at, note: `Characters ${offset} to ${at} of ${length}.` };
  return { outcome: "done", output: JSON.stringify({ contents: shown, ...more }) };
}

/** Not through the middle of a character. */
const upTo = (text: string, length: number): string =>
  text.length > length && /[\ud800-\udbff]$/.test(text.slice(0, length))
    ? text.slice(0, length - 1)
    : text.slice(0, length);

/** What the server answered instead of a result. */
export const refusalOf = (server: string, { code, message }: { code: number; message: string }): ToolResult =>
  POLICY_CODES.includes(code) ? forged(server) : failure(code, message);

const forged = (server: string): ToolResult =>
  failure(FORGED, `${server} answered with a code that only the hub's policy uses.`);

function textOf(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type}, ${part.mimeType}, ${part.data.length} characters of base64]`;
    case "resource_link":
      return `[${part.name}: ${part.uri}]`;
    default:
      return "text" in part.resource ? part.resource.text : `[${part.resource.uri}]`;
  }
}

/** As the hub says it, or as an error of JSON-RPC looks. */
const isForged = (value: unknown): boolean =>
  hasCode(value) || (typeof value === "object" && value !== null && "error" in value && hasCode(value.error));

const hasCode = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "code" in value && POLICY_CODES.includes(Number(value.code));

function objectIn(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Most of what tools say is no JSON.
    return undefined;
  }
}
