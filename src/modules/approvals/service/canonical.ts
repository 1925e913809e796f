import { hash } from "node:crypto";
import { ParleyError } from "../../../errors.ts";
import { checkText } from "../../../text.ts";

/** What is shown is what is digested and what is run: one text, made here and kept. */
export interface Canonical {
  value: unknown;
  text: string;
}

const MOST_ARGUMENTS = 100_000;
/** More digits than a double keeps would be shown as another number than was meant. */
const MOST_DIGITS = 17;

/**
 * Arguments as they came: the text of a JSON object, or the object itself. As a text nothing of them was lost on the
 * way, so what JavaScript would round or drop (big integers, a key that is there twice) is refused and never changed.
 */
export function canonicalArguments(given: unknown): Canonical {
  const value = typeof given === "string" ? strictJson(given) : given;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("they are a JSON object, such as {}");
  checkText(value);
  const text = canonical(value);
  if (text.length > MOST_ARGUMENTS) throw invalid(`they have at most ${MOST_ARGUMENTS} characters`);
  return { value: JSON.parse(text), text };
}

/** RFC 8785: keys in the order of their UTF-16 units, numbers and texts as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    // Own properties alone, so that `__proto__` and `constructor` are keys like any other.
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
  }
  if (typeof value === "number" && !isKept(value)) throw invalid(`${value} is not a number that JSON keeps`);
  return JSON.stringify(value) ?? "null";
}

const isKept = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** Strings, numbers and what objects are made of; the rest of the grammar `JSON.parse` has seen to. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\]:,]/g;

function strictJson(text: string): unknown {
  if (text.length > 2 * MOST_ARGUMENTS) throw invalid(`they have at most ${MOST_ARGUMENTS} characters`);
  const value = parsed(text);
  /** The keys of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let before = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") noteKey(open.at(-1), before);
    else if (/^[-\d]/.test(token)) checkNumber(token);
    before = token;
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid("they are not JSON", error);
  }
}

function noteKey(keys: Set<string> | null | undefined, token: string): void {
  const key = JSON.parse(token);
  if (keys?.has(key)) throw invalid(`the key ${token.slice(0, 100)} is there twice`);
  keys?.add(key);
}

function checkNumber(token: string): void {
  const digits = token
    .replace(/[eE].*$/, "")
    .replace(/\D/g, "")
    .replace(/^0+/, "");
  if (!isKept(Number(token)) || digits.length > MOST_DIGITS)
    throw invalid(`the number ${token.slice(0, 100)} would be rounded`);
}

const invalid = (what: string, cause?: unknown): ParleyError =>
  new ParleyError("INVALID_ARGUMENT", `arguments: ${what}.`, { cause });

interface Action {
  space: string;
  agent: string;
  /** Which server it was that the agent had mounted under this name. */
  mount: string;
  server: string;
  tool: string;
  arguments: unknown;
}

/** Of all that a person decides about, and of nothing that the agent says about it. */
export const digestOf = ({ space, agent, mount, server, tool, arguments: given }: Action): string =>
  hash("sha256", `parley-approval-v1\n${canonical({ space, agent, mount, server, tool, arguments: given })}`);
