/** Where a link leads: `(https://… "title")`, `[name]` of an address that stands elsewhere, or nothing of the kind. */
import { unescaped } from "./characters.ts";

/** Addresses by the name a message gives them: `[name]: https://…`. */
export type References = ReadonlyMap<string, string>;

export interface Target {
  href: string;
  /** Where in the text it ends. */
  end: number;
}

const ANGLED = /\s*<((?:[^<>\n\\]|\\.)*)>/y;
const TITLE = /\s+(?:"(?:[^"\\]|\\[\s\S]){0,500}"|'(?:[^'\\]|\\[\s\S]){0,500}'|\((?:[^()\\]|\\[\s\S]){0,500}\))/y;
const END = /\s*\)/y;
const LABEL = /\[((?:[^[\]\\]|\\.){0,200})\]/y;
const MOST_LABEL = 200;
const MOST_PARENTHESES = 32;

export const referenceName = (label: string): string => label.trim().replaceAll(/\s+/g, " ").toLowerCase();

/** Of the text between two brackets, the second of which is at `to`. */
export function targetOf(
  text: string,
  { from, to }: { from: number; to: number },
  references: References,
): Target | undefined {
  const direct = text[to + 1] === "(" ? directTarget(text, to + 2) : undefined;
  if (direct) return direct;
  const label = matchAt(LABEL, text, to + 1);
  const name = label?.[1] || (to - from <= MOST_LABEL ? text.slice(from, to) : "");
  const href = references.get(referenceName(name));
  return href === undefined ? undefined : { href, end: to + 1 + (label?.[0].length ?? 0) };
}

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function directTarget(text: string, from: number): Target | undefined {
  const angled = matchAt(ANGLED, text, from);
  let at = from + (angled?.[0].length ?? 0);
  let href = angled?.[1];
  if (href === undefined) {
    while (text[at] === " " || text[at] === "\n") at += 1;
    const end = endOfAddress(text, at);
    href = text.slice(at, end);
    at = end;
  }
  at += matchAt(TITLE, text, at)?.[0].length ?? 0;
  const end = matchAt(END, text, at);
  return end ? { href: unescaped(href), end: at + end[0].length } : undefined;
}

/** At the first space, or at a parenthesis that is not its own. */
function endOfAddress(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === "\\") at += 1;
    else if (char <= " ") break;
    else if (char === "(" && ++depth > MOST_PARENTHESES) break;
    else if (char === ")" && --depth < 0) break;
  }
  return at;
}
