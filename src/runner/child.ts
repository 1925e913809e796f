import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { COOKIE, endAttempt, killAll } from "../local/killing.ts";
import { Lines } from "../local/lines.ts";
import { startOf } from "../local/processes.ts";
import type { Output } from "./output.ts";

/** So long the pipes of a program that has ended may take to run dry. */
const DRAIN_MS = 2000;

export interface Command {
  argv: readonly string[];
  cwd: string;
  /** All of it: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** What it reads on its standard input. */
  input: string;
  cookie: string;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** It never ran. */
export class NotStarted extends Error {
  override readonly name: string = "NotStarted";
}

/** Nor will it with the same arguments, however often that is tried. */
export class NeverStarts extends NotStarted {
  override readonly name = "NeverStarts";
}

/** What the system says of an argument that is too long, and Node of one with a NUL in it. */
const NO_ARGUMENTS = ["E2BIG", "ERR_INVALID_ARG_VALUE"];

interface Hooks {
  output: Output;
  /** A whole line of its standard output, or with `is_error` of the other. */
  online: (line: string, is_error: boolean) => void;
}

/**
 * A program in a process group of its own. It is started without a shell, with exactly the environment that is given,
 * and when it is over nothing of what it started is left.
 */
export class Child {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #cookie: string;
  readonly #read: Promise<unknown>;
  readonly #exit: Promise<Exit>;
  readonly pid: number;
  readonly start: string;

  /** Throws `NotStarted` with the reason. */
  static async start(command: Command, hooks: Hooks): Promise<Child> {
    checkFolder(command.cwd);
    const [program = "", ...args] = command.argv;
    const child = launch(program, args, command);
    const failed = once(child, "error").then(([error]) => error as NodeJS.ErrnoException);
    // A program that cannot be run is told by an event, one that runs has a number at once.
    const error = child.pid === undefined ? await failed : undefined;
    if (error || child.pid === undefined) throw new NotStarted(reasonOf(program, error), { cause: error });
    failed.catch(() => {});
    return new Child(child, child.pid, command, hooks);
  }

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, Readable>,
    pid: number,
    { cookie, input }: Command,
    { output, online }: Hooks,
  ) {
    this.#process = child;
    this.#cookie = cookie;
    this.pid = pid;
    this.start = startOf(pid);
    this.#exit = once(child, "exit").then(([code, signal]) => ({ code, signal }));
    const read = async (stream: Readable, is_error: boolean): Promise<void> => {
      const lines = new Lines((line) => online(line, is_error));
      const write = output.stream();
      try {
        for await (const chunk of stream) {
          lines.write(chunk);
          await write(chunk);
        }
      } catch (error) {
        // Closed by us, since something that outlived it kept it open.
        if (!stream.destroyed) throw error;
      }
      lines.end();
    };
    this.#read = Promise.all([read(child.stdout, false), read(child.stderr, true)]);
    this.#read.catch(() => {});
    // It need not read what it is given.
    child.stdin.on("error", () => {}).end(input);
  }

  /** When the program itself is over; what it started may still run. */
  get exited(): Promise<Exit> {
    return this.#exit;
  }

  /** Asks it to end, and sees to it after a while. */
  async end(grace_ms?: number): Promise<void> {
    await endAttempt({ cookie: this.#cookie, leader: this, ...(grace_ms !== undefined && { grace_ms }) });
  }

  /** Kills what it left behind and takes in the last of its output. How many there were. */
  async clean(): Promise<number> {
    const killed = await killAll({ cookie: this.#cookie, leader: this });
    const { stdout, stderr } = this.#process;
    await Promise.race([this.#read, pause(DRAIN_MS, undefined, { ref: false })]);
    stdout.destroy();
    stderr.destroy();
    await this.#read;
    return killed;
  }
}

function launch(
  program: string,
  args: readonly string[],
  { cwd, env, cookie }: Command,
): ChildProcessByStdio<Writable, Readable, Readable> {
  try {
    return spawn(program, args, {
      cwd,
      env: { ...env, [COOKIE]: cookie },
      shell: false,
      detached: true,
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const Failed = NO_ARGUMENTS.includes(code) ? NeverStarts : NotStarted;
    throw new Failed(reasonOf(program, error as NodeJS.ErrnoException), { cause: error });
  }
}

/** The system says of a missing folder what it says of a missing program. */
function checkFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new NotStarted(`The folder ${cwd} does not exist.`);
}

function reasonOf(program: string, error: NodeJS.ErrnoException | undefined): string {
  // Of what is to run it the system says the same.
  if (error?.code === "ENOENT" && program.includes("/") && existsSync(program))
    return `The program ${program} is there, but what it is to be run by is not: see its first line.`;
  if (error?.code === "ENOENT") return `The program ${program} does not exist.`;
  if (error?.code === "EACCES") return `The program ${program} may not be run.`;
  if (error?.code === "E2BIG")
    return `What the program ${program} is told is too long for an argument. Leave {{prompt}} out of argv: it is its standard input too.`;
  return `The program ${program} could not be started: ${error?.message ?? "for no reason that was given"}.`;
}
