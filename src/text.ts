import { ParleyError } from "./errors.ts";

/** Deeper JSON than this is nobody's argument, and recursion over it would end the process. */
const MOST_DEPTH = 32;

/**
 * Refuses text that the two databases would treat differently: SQLite stores NUL and lone
 * surrogates, PostgreSQL does not. Also refuses what is nested too deep to look at.
 */
export function checkText(value: unknown, path = "", depth = 0): void {
  if (typeof value === "string") {
    if (value.includes("\0")) throw bad(path, "contains the character NUL");
    if (!value.isWellFormed()) throw bad(path, "contains half of a surrogate pair");
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (depth >= MOST_DEPTH) throw bad(path.slice(0, 40), `is nested deeper than ${MOST_DEPTH} levels`);
  for (const [key, item] of Object.entries(value)) {
    checkText(key, `${path}${path && "."}${key.slice(0, 40)}`, depth + 1);
    checkText(item, `${path}${path && "."}${key.slice(0, 40)}`, depth + 1);
  }
}

const bad = (path: string, what: string): ParleyError =>
  new ParleyError("INVALID_TEXT", `${path ? JSON.stringify(path) : "The text"} ${what}.`);
