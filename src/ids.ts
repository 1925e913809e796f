import { z } from "zod";

/**
 * An id is a position in a space's feed: microseconds since 1970, raised by one
 * where two would be equal. A number inside, a string of digits on the wire.
 */
const AS_ID = "an id is a string of digits";
const digits = z.string().regex(/^[1-9][0-9]{0,15}$/, AS_ID);
export const Id = digits.refine((text) => Number.isSafeInteger(Number(text)), AS_ID);

/** Where to read on. Digits that are too many for any id are ahead of everything, and refused as that. */
export const Position = digits;

export const parseId = (text: string): number => Number(text);
export const parsePosition = (text: string): number => Math.min(Number(text), Number.MAX_SAFE_INTEGER);
export const formatId = (id: number): string => String(id);

let last = { ms: 0, text: "" };

/** The time an id was given out. Ids and times therefore never disagree about order. */
export function timeOfId(id: number): string {
  const ms = Math.floor(id / 1000);
  // Ids given out together mostly fall into one millisecond, and writing it out is what costs.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
