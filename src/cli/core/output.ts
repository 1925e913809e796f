/**
 * stdout and stderr are used by their numbers: making the streams of `process` takes longer than a hook's whole answer.
 * Like those, a write to a pipe or a file is done when it returns.
 */
import type { Common, Format } from "./command.ts";
import { Failure } from "./failure.ts";
import { spokenTime, wallTime } from "./times.ts";

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
  /** What `--fields` names: all that is printed of each thing. */
  readonly fields: readonly string[] | undefined;
  /** Columns of the terminal; undefined where there is none, and nothing has to fit. */
  readonly width: number | undefined;
  readonly #utc: boolean;
  readonly #colors: boolean;

  constructor(common: Looks, textByDefault: boolean) {
    const terminal = isTerminal(STDOUT);
    this.format = common.json ? "json" : (common.format ?? (terminal || textByDefault ? "text" : "json"));
    this.json = this.format === "json";
    this.quiet = common.quiet;
    this.fields = common.fields?.split(",").map((name) => name.trim());
    this.width = terminal && !this.json ? process.stdout.columns : undefined;
    this.#utc = common.utc;
    this.#colors = !common.no_color && wantsColors(terminal);
  }

  /** What was asked for: one JSON document, or text for people; with `--quiet` no more of it than its ids. */
  async result(value: unknown, text: () => string, ids?: () => readonly string[]): Promise<void> {
    if (this.json) return this.data(value);
    if (this.fields !== undefined) return this.write((await import("./picking.ts")).picture(this, value, this.fields));
    await this.write(this.quiet && ids ? ids().join("\n") : text());
  }

  /** The JSON of it. */
  async data(value: unknown): Promise<void> {
    const asked = this.fields === undefined ? value : (await import("./picking.ts")).pick(value, this.fields);
    await this.write(JSON.stringify(asked));
  }

  /** For a person: `5 min ago`, or by their own clock. */
  time(iso: string): string {
    return this.#utc ? iso : spokenTime(iso);
  }

  /** The same for what stays on the screen while time goes on. */
  clock(iso: string): string {
    return this.#utc ? iso : wallTime(iso);
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

type Looks = Pick<Common, "json" | "format" | "no_color" | "quiet" | "fields" | "utc">;

/** As Node itself reads them: FORCE_COLOR counts where there is no terminal, and before NO_COLOR. */
function wantsColors(terminal: boolean): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (FORCE_COLOR !== undefined) return !["0", "false"].includes(FORCE_COLOR);
  return terminal && !NO_COLOR && TERM !== "dumb";
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
