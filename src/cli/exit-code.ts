/** What is needed only when something went wrong, so that nothing else has to load it. */
import { CODES, type ErrorCode, KINDS } from "../errors.ts";
import { didYouMean } from "../suggest.ts";
import type { Failure } from "./failure.ts";

/** By its code. A newer hub may know codes that we do not: then the status decides. */
export function exitCodeOf({ code, exit, status }: Failure): number {
  if (exit !== undefined) return exit;
  if (isKnown(code)) return KINDS[CODES[code]].exit;
  return status === undefined ? 1 : exitOfStatus(status);
}

/** The sentence, with what was probably meant. */
export const sentenceOf = ({ message, near }: Failure): string =>
  near ? `${message}${didYouMean(near.given, near.names)}` : message;

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(CODES, code);

function exitOfStatus(status: number): number {
  const kind = Object.values(KINDS).find((kind) => kind.status === status);
  return kind?.exit ?? (status >= 400 && status < 500 ? 2 : 1);
}
