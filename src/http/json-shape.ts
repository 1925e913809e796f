import { ParleyError } from "../errors.ts";

/** Deeper JSON than this is nobody's request, and what recurses over it would end the process. */
const MOST_DEPTH = 64;

/**
 * Refuses what would be too much to parse, and a key that is there twice, of which parsing would lose one without a word.
 * Whether it is JSON is not its question.
 */
export function checkShape(text: string, most_values: number): void {
  /** The keys of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"': {
        const start = at;
        at = endOfString(text, at);
        const keys = open.at(-1);
        if (keys && isKey(text, at + 1)) noteKey(keys, text.slice(start, at + 1));
        break;
      }
      case "{":
      case "[":
        open.push(text[at] === "{" ? new Set() : null);
        values += 1;
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        values += 1;
    }
    if (open.length > MOST_DEPTH) throw refused(`is nested deeper than ${MOST_DEPTH} levels`);
    if (values > most_values) throw refused(`holds more than ${most_values} values`);
  }
}

/** Whether a colon is what comes next. */
function isKey(text: string, from: number): boolean {
  let at = from;
  while (BLANKS.includes(text[at] ?? ":")) at += 1;
  return text[at] === ":";
}

const BLANKS = " \n\r\t";

function noteKey(keys: Set<string>, token: string): void {
  const key = token.includes("\\") ? unescaped(token) : token.slice(1, -1);
  if (keys.has(key)) throw refused(`names ${token.slice(0, 100)} twice in one object`);
  keys.add(key);
}

function unescaped(token: string): string {
  try {
    return JSON.parse(token);
  } catch (error) {
    throw new ParleyError("INVALID_JSON", "The body is not JSON.", { cause: error });
  }
}

/** Where the quotation mark is that closes the string which begins here. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

const refused = (what: string): ParleyError => new ParleyError("INVALID_JSON", `The body ${what}.`);
