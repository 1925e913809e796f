/** What a command line reads and writes: the process it runs in, or whatever stands for one. */
import { codeOf, readIfThere } from "../../local/files.ts";
import { Failure, invalid, reasonOf } from "./failure.ts";

const { fstatSync, writeSync } = process.getBuiltinModule("node:fs");

export const STDOUT = 1;
export const STDERR = 2;
export type Fd = typeof STDOUT | typeof STDERR;
export type Env = Readonly<Record<string, string | undefined>>;

export interface Io {
  readonly env: Env;
  readonly stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean };
  /** Columns of the terminal. */
  readonly columns: number | undefined;
  /** What the command ends with, unless it fails. */
  exitCode: number;
  isTerminal(fd: Fd): boolean;
  /** Resolves when it has been handed over, so that the process may end. */
  write(fd: Fd, text: string): Promise<void>;
}

/** Nothing is touched before it is needed: making the streams of `process` takes longer than a hook's whole answer. */
export const PROCESS: Io = {
  env: process.env,
  get stdin() {
    return process.stdin;
  },
  get columns() {
    return process.stdout.columns;
  },
  exitCode: 0,
  isTerminal,
  write,
};

/** Everything on stdin, as text. */
export async function readStdin({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** What was typed, or with `-` what is on stdin. */
export const typedText = async (io: Io, words: readonly string[]): Promise<string> =>
  words.join(" ") === "-" ? (await readStdin(io)).trimEnd() : words.join(" ");

/** `what` is what is said of it where it is none: `The arguments are`. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`${what} not JSON: ${reasonOf(cause)}.`, { cause });
  }
}

/** What a text says as JSON; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same of a small file: half of one, as a crash leaves it, is as good as none. */
export const readJson = (path: string): unknown => jsonIn(readIfThere(path) ?? "");

function isTerminal(fd: Fd): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd);
  } catch (error) {
    // Closed by whoever started us.
    if (codeOf(error) === "EBADF") return false;
    throw error;
  }
}

const PAUSE_MS = 5;

/** To the number of the stream. A write to a pipe or a file is done when it returns. Ends the process quietly when nobody reads any more, as after `| head -1`. */
async function write(fd: Fd, text: string): Promise<void> {
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
    `What was asked for cannot be written to stdout: ${reasonOf(error)}. Whatever the command was to do may be done.`,
    { cause: error },
  );

/** The reader has gone. */
export const isUnread = (error: unknown): boolean => ["EPIPE", "EBADF"].includes(codeOf(error));
