/**
 * Ids as people type them: as much of the beginning as names one thing, as with git, and `latest` for the newest. Whole
 * ids are used as they are and cost nothing.
 */
import { Failure, invalid } from "./failure.ts";

const WHOLE = 16;
const LEAST = 4;
export const LATEST = "latest";

/** What is no id at all is for the hub to refuse. */
export const isWhole = (given: string): boolean => given !== LATEST && (!/^\d+$/.test(given) || given.length >= WHOLE);

/** The first and the last id that begin so. Throws where it is too short to look for. */
export function idRange(given: string, what: string): { first: string; last: string } {
  if (given.length < LEAST)
    throw new Failure("NOT_FOUND", `No ${what} has the id ${given}. Give at least the first ${LEAST} digits of one.`);
  return { first: given.padEnd(WHOLE, "0"), last: given.padEnd(WHOLE, "9") };
}

/** Among ids that may begin so. */
export function theOne(given: string, ids: readonly string[], what: string): string {
  if (ids.includes(given)) return given;
  const [first, second] = [...new Set(ids)].filter((id) => id.startsWith(given));
  if (first === undefined) throw noneBegins(given, what);
  if (second === undefined) return first;
  throw invalid(
    `More than one ${what} has an id that begins with ${given}, such as ${first} and ${second}. Give more of it.`,
  );
}

/** What is as long as an id is left for the hub to know. */
export const isShort = (given: string): boolean => given === LATEST || given.length < WHOLE;

interface Open {
  what: string;
  /** Where `latest` names nothing. */
  none: Failure;
}

/** Among those that are open, the newest first. */
export function openOne(given: string, open: readonly { id: string }[], { what, none }: Open): string {
  if (!isShort(given)) return given;
  const ids = open.map(({ id }) => id);
  if (given !== LATEST) return theOne(given, ids, what);
  if (ids[0] === undefined) throw none;
  return ids[0];
}

export const noneBegins = (given: string, what: string): Failure =>
  new Failure("NOT_FOUND", `No ${what} has an id that begins with ${given}.`);
