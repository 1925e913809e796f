import { ParleyError } from "./errors.ts";

/** Deeper JSON than this is nobody's argument, and recursion over it would end the process. */
const MOST_DEPTH = 32;

/**
 * Refuses text that the two databases would treat differently: SQLite stores NUL and lone
 * surrogates, PostgreSQL does not. Also refuses what is nested too deep to look at.
 */
export function checkText(value: unknown): void {
  const flaw = flawOf(value, MOST_DEPTH);
  if (!flaw) return;
  const where = flaw.path.map((part) => cut(part, 40)).join(".");
  throw new ParleyError("INVALID_TEXT", `${where ? JSON.stringify(cut(where, 200)) : "The text"} ${flaw.what}.`);
}

/** The beginning of a text, cut between characters. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  return `${/[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start}…`;
}

/** With what no database holds replaced: NUL, and halves of surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/** As much of its beginning as fits into so many bytes of UTF-8. */
export function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(most, bytes.length);
  while (end < bytes.length && continues(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** Whether a byte of UTF-8 is not the first one of its character. */
export const continues = (byte = 0): boolean => (byte & 0xc0) === 0x80;

interface Flaw {
  path: string[];
  what: string;
}

// Where it is gets worked out only once there is something: a body may hold millions of values.
function flawOf(value: unknown, levels: number): Flaw | undefined {
  if (typeof value === "string") return flawOfText(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return { path: [], what: `is nested deeper than ${MOST_DEPTH} levels` };
  if (Array.isArray(value)) return flawOfList(value, levels);
  for (const key in value) {
    // `in` gave the key.
    const flaw = flawOfText(key) ?? flawOf((value as Record<string, unknown>)[key], levels - 1);
    if (flaw) return { ...flaw, path: [key, ...flaw.path] };
  }
  return undefined;
}

function flawOfList(list: readonly unknown[], levels: number): Flaw | undefined {
  for (let at = 0; at < list.length; at += 1) {
    const flaw = flawOf(list[at], levels - 1);
    if (flaw) return { ...flaw, path: [String(at), ...flaw.path] };
  }
  return undefined;
}

// Of a body in UTF-8 only `\u` can bring either. To look for that in its JSON first costs prose and code more than this.
function flawOfText(text: string): Flaw | undefined {
  if (text.includes("\0")) return { path: [], what: "contains the character NUL" };
  return text.isWellFormed() ? undefined : { path: [], what: "contains half of a surrogate pair" };
}
