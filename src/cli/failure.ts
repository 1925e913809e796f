import { CODES, type ErrorCode, KINDS } from "../errors.ts";

/** Ends the command: one sentence on stderr, and an exit code that scripts can act on. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: string;
  readonly exit: number;

  constructor(code: string, message: string, options?: ErrorOptions & { exit?: number }) {
    super(message, options);
    this.code = code;
    this.exit = options?.exit ?? exitOf(code);
  }
}

/** The hub refuses to start, and starting it again will not help: the `EX_CONFIG` of sysexits. */
export const REFUSED = 78;
export const INTERRUPTED = 130;

export const invalid = (message: string): Failure => new Failure("INVALID_ARGUMENT", message);

/** What the hub answered, as a failure. A newer hub may know codes that we do not: then the status decides. */
export function failureOf(status: number, code: string, message: string): Failure {
  return new Failure(code, message, { exit: isKnown(code) ? exitOf(code) : exitOfStatus(status) });
}

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(CODES, code);
const exitOf = (code: string): number => (isKnown(code) ? KINDS[CODES[code]].exit : 1);

function exitOfStatus(status: number): number {
  const kind = Object.values(KINDS).find((kind) => kind.status === status);
  return kind?.exit ?? (status >= 400 && status < 500 ? 2 : 1);
}
