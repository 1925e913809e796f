import { hash } from "node:crypto";
import { ParleyError } from "../../../errors.ts";
import { checkText } from "../../../text.ts";
import { isKept, strictJson } from "./strict.ts";

/** What is shown is what is digested and what is run: one text, made here and kept. */
export interface Canonical {
  value: unknown;
  text: string;
}

const MOST_ARGUMENTS = 100_000;

/**
 * Arguments as they came: the text of a JSON object, or the object itself. As a text nothing of them was lost on the
 * way, so what JavaScript would round or drop (big integers, a key that is there twice) is refused and never changed.
 */
export function canonicalArguments(given: unknown): Canonical {
  const value = typeof given === "string" ? parsed(given) : given;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("they are a JSON object, such as {}");
  checkText(value);
  const text = canonical(value);
  if (text.length > MOST_ARGUMENTS) throw invalid(`they have at most ${MOST_ARGUMENTS} characters`);
  return { value: JSON.parse(text), text };
}

function parsed(text: string): unknown {
  if (text.length > 2 * MOST_ARGUMENTS) throw invalid(`they have at most ${MOST_ARGUMENTS} characters`);
  return strictJson(text, { what: "arguments", is: "they are" });
}

/** RFC 8785: keys in the order of their UTF-16 units, numbers and texts as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    // Own properties alone, so that `__proto__` and `constructor` are keys like any other.
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
  }
  if (typeof value === "number" && !isKept(value))
    throw new ParleyError("INVALID_ARGUMENT", `The number ${value} would be rounded.`);
  return JSON.stringify(value) ?? "null";
}

const invalid = (what: string): ParleyError => new ParleyError("INVALID_ARGUMENT", `arguments: ${what}.`);

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
