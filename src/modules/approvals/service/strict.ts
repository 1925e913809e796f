/** JSON as a text, of which nothing is lost: what JavaScript would round or drop is refused, and never changed. */
import { ParleyError } from "../../../errors.ts";

/** No number that somebody means has more. */
const MOST_DIGITS = 17;

/** Strings, numbers and what objects are made of; the rest of the grammar `JSON.parse` has seen to. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\]:,]/g;

/** `what` names it, and `is` goes with that: "the arguments", "they are". */
interface Named {
  what: string;
  is: "it is" | "they are";
}

export function strictJson(text: string, named: Named): unknown {
  const value = parsed(text, named);
  /** The keys of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let before = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") noteKey(open.at(-1), before, named);
    else if (/^[-\d]/.test(token)) checkNumber(token, named);
    before = token;
  }
  return value;
}

/** Whether it is the number that was meant: beyond that integers are rounded. */
export const isKept = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

function parsed(text: string, { what, is }: Named): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`${what}: ${is} not JSON: ${error instanceof Error ? error.message : error}.`, error);
  }
}

function noteKey(keys: Set<string> | null | undefined, token: string, { what }: Named): void {
  const key = JSON.parse(token);
  if (keys?.has(key)) throw invalid(`${what}: the key ${token.slice(0, 100)} is there twice.`);
  keys?.add(key);
}

function checkNumber(token: string, { what }: Named): void {
  const value = Number(token);
  const meant = digitsOf(token);
  const is_same = meant === "" || (meant.length <= MOST_DIGITS && isKept(value) && written(value, meant) === meant);
  if (!is_same) throw invalid(`${what}: the number ${token.slice(0, 100)} would be rounded.`);
}

/** With as many digits as were given. */
const written = (value: number, { length }: string): string => digitsOf(value.toExponential(length - 1));

/** Those that count, whatever the exponent is. */
const digitsOf = (number: string): string =>
  number
    .replace(/[eE].*$/, "")
    .replace(/\D/g, "")
    .replace(/^0+/, "");

const invalid = (sentence: string, cause?: unknown): ParleyError =>
  new ParleyError("INVALID_ARGUMENT", sentence, { cause });
