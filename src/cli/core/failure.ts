/** Ends the command: one sentence on stderr, and an exit code that scripts can act on (`exit-code.ts`). */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: string;
  /** Where it is not the one that goes with the code. */
  readonly exit: number | undefined;
  /** What the hub answered with. */
  readonly status: number | undefined;
  /** Seconds, if the hub asked for some. */
  readonly retry_after: number;
  readonly near: Near | undefined;

  constructor(code: string, message: string, options?: FailureOptions) {
    super(message, options);
    this.code = code;
    this.exit = options?.exit;
    this.status = options?.status;
    this.retry_after = options?.retry_after ?? 0;
    this.near = options?.near;
  }
}

interface FailureOptions extends ErrorOptions {
  exit?: number;
  status?: number;
  retry_after?: number;
  near?: Near;
}

/** What was typed, and what there is: whoever tells of it says which one was probably meant. */
export interface Near {
  given: string;
  names: readonly string[];
}

/** The hub refuses to start, and starting it again will not help: the `EX_CONFIG` of sysexits. */
export const REFUSED = 78;
export const INTERRUPTED = 130;

export const invalid = (message: string, options?: FailureOptions): Failure =>
  new Failure("INVALID_ARGUMENT", message, options);

/** Of one of these codes; of any without them. */
export const isFailure = (error: unknown, ...codes: readonly string[]): error is Failure =>
  error instanceof Failure && (codes.length === 0 || codes.includes(error.code));

/** For a `catch`: gives this instead of such a failure, and throws everything else. */
export const recover =
  <T>(instead: T, ...codes: readonly string[]) =>
  (error: unknown): T => {
    if (isFailure(error, ...codes)) return instead;
    throw error;
  };

/** What went wrong, in its own words. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the hub answered, as a failure. */
export const failureOf = (status: number, code: string, message: string, retry_after = 0): Failure =>
  new Failure(code, message, { status, retry_after });
