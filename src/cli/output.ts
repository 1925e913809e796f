/**
 * stdout and stderr are used by their numbers: making the streams of `process` takes longer than a hook's whole answer.
 * Like those, a write to a pipe or a file is done when it returns.
 */
import type { Common, Format } from "./command.ts";
import { Failure } from "./failure.ts";

const { fstatSync, writeSync } = process.getBuiltinModule("node:fs");

export const STDOUT = 1;
export const STDERR = 2;
type Fd = typeof STDOUT | typeof STDERR;

const PAUSE_MS = 5;

/** Where a command's words go: data to stdout, everything said about it to stderr. */
export class Output {
  readonly json: boolean;
  readonly format: Format;
  readonly quiet: boolean;
  readonly #colors: boolean;

  constructor(common: Pick<Common, "json" | "format" | "no_color" | "quiet">, textByDefault: boolean) {
    const terminal = isTerminal(STDOUT);
    this.format = common.json ? "json" : (common.format ?? (terminal || textByDefault ? "text" : "json"));
    this.json = this.format === "json";
    this.quiet = common.quiet;
    const { NO_COLOR, TERM } = process.env;
    this.#colors = terminal && !common.no_color && !NO_COLOR && TERM !== "dumb";
  }

  /** What was asked for: one JSON document, or text for people. */
  async result(value: unknown, text: () => string): Promise<void> {
    await this.write(this.json ? JSON.stringify(value) : text());
  }

  /** One line of stdout. Resolves when it has been handed over, so that the process may end. */
  async write(line: string): Promise<void> {
    if (line !== "") await put(STDOUT, `${line}\n`);
  }

  /** For the person waiting, not for the program reading. */
  note(text: string): void {
    if (!this.quiet && isTerminal(STDERR)) void put(STDERR, `${text}\n`);
  }

  /** What nobody asked for and somebody has to know, whatever reads stderr. */
  async tell(text: string): Promise<void> {
    await put(STDERR, `${text}\n`);
  }

  bold(text: string): string {
    return this.#colors ? `\u001b[1m${text}\u001b[22m` : text;
  }

  dim(text: string): string {
    return this.#colors ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/** Columns as wide as what is in them. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function isTerminal(fd: Fd): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd);
  } catch (error) {
    // Closed by whoever started us.
    if (codeOf(error) === "EBADF") return false;
    throw error;
  }
}

/** Ends the process quietly when nobody reads any more, as after `| head -1`. */
export async function put(fd: Fd, text: string): Promise<void> {
  let left: Buffer = Buffer.from(text);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      if (isUnread(error)) process.exit();
      // Somebody made the pipe non-blocking, and it is full.
      if (codeOf(error) !== "EAGAIN") {
        // There is nowhere else to say that stderr fails. What was asked for is still done, and the exit code tells how.
        if (fd === STDERR) return;
        throw unwritable(error);
      }
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }
}

/** The disk is full, or broken. */
const unwritable = (error: unknown): Failure =>
  new Failure(
    "OUTPUT_FAILED",
    `What was asked for cannot be written to stdout: ${error instanceof Error ? error.message : error}. Whatever the command was to do may be done.`,
    { cause: error },
  );

/** The reader has gone. */
export const isUnread = (error: unknown): boolean => ["EPIPE", "EBADF"].includes(codeOf(error));

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");
