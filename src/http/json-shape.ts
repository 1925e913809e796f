import { ParleyError } from "../errors.ts";

/** Deeper JSON than this is nobody's request, and what recurses over it would end the process. */
const MOST_DEPTH = 64;

/** Refuses what would be too much to parse, from its brackets and commas alone. Whether it is JSON is not its question. */
export function checkShape(text: string, most_values: number): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "{":
      case "[":
        depth += 1;
        values += 1;
        break;
      case "}":
      case "]":
        depth -= 1;
        break;
      case ",":
        values += 1;
    }
    if (depth > MOST_DEPTH) throw refused(`is nested deeper than ${MOST_DEPTH} levels`);
    if (values > most_values) throw refused(`holds more than ${most_values} values`);
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
