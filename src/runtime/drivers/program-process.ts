import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { guardOf } from "../../local/guard.ts";
import { COOKIE, endAttempt } from "../../local/killing.ts";
import { startOf } from "../../local/processes.ts";
import { visible } from "../../visible.ts";

/** Of what a program complains about, so much is remembered. */
const MOST_COMPLAINT = 500;
/** So long the pipes of a program that has ended may take to run dry. */
const DRAIN_MS = 2000;

export interface ProgramCommand {
  argv: readonly string[];
  cwd: string;
  /** All of it: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** What was given to it by name: none of it is repeated in its last words, and no secret among it in what it tells. */
  given: Readonly<Record<string, string>>;
  /** How long it has to end by itself. */
  grace_ms?: number | undefined;
  /** What all of its processes carry; one of its own if nothing is said. */
  cookie?: string;
  /** Part of the cookie: by it whoever runs several finds what is left of them. */
  mark?: string | undefined;
}

/** A hook of a client that carries one knows that a runtime has started it. */
export const newCookie = (mark = ""): string => `${cookiesOf(mark)}${randomUUID()}`;

/** How all of them begin. */
export const cookiesOf = (mark: string): string => (mark ? `agent.${mark}.` : "agent.");

/** A program in a process group of its own, without a shell: when it is over nothing of what it started is left. */
export class ProgramProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Why it is over, in words. */
  readonly over: Promise<string>;
  readonly #command: ProgramCommand;
  readonly #cookie: string;
  readonly #leader: { pid: number; start: string };
  readonly #guard: ChildProcess;
  #complaint = "";
  #ending: Promise<unknown> | undefined;

  /** Throws with the reason. */
  static async start(command: ProgramCommand): Promise<ProgramProcess> {
    const [program = "", ...args] = command.argv;
    const { cookie = newCookie(command.mark) } = command;
    const child = spawn(program, args, {
      ...{ cwd: command.cwd, env: { ...command.env, [COOKIE]: cookie }, shell: false, detached: true },
      ...{ windowsHide: true, stdio: ["pipe", "pipe", "pipe"] },
    });
    // One that runs has a number at once; why another does not is told by an event.
    if (child.pid === undefined) {
      const [error] = await once(child, "error");
      throw new Error(`${visible(program)} could not be started: ${error.message}.`, { cause: error });
    }
    const leader = { pid: child.pid, start: startOf(child.pid) };
    return new ProgramProcess(child, leader, { command, cookie });
  }

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, Readable>,
    leader: { pid: number; start: string },
    { command, cookie }: { command: ProgramCommand; cookie: string },
  ) {
    this.#command = command;
    this.#cookie = cookie;
    this.#leader = leader;
    this.#guard = guardOf(leader.pid, { [COOKIE]: cookie });
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // It need not read what it is given.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-4 * MOST_COMPLAINT);
    });
    const closed = once(child, "close");
    this.over = once(child, "exit").then(async ([code, signal]) => {
      await this.end();
      await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
      // Something that escaped may keep them open.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      return this.#wordsOf(code, signal);
    });
  }

  /** Resolves when nothing of it is left. */
  end(): Promise<unknown> {
    const { grace_ms } = this.#command;
    this.#ending ??= endAttempt({
      ...{ cookie: this.#cookie, leader: this.#leader },
      ...(grace_ms !== undefined && { grace_ms }),
    }).finally(() => this.#guard.kill("SIGKILL"));
    return this.#ending;
  }

  /** What it complained about last, on one line, without secrets. */
  get complaint(): string {
    let text = this.#complaint.replaceAll(/parley_[A-Za-z0-9_-]{16,}/g, "parley_[secret]");
    for (const value of Object.values(this.#command.given))
      if (value.length >= 8) text = text.replaceAll(value, "[secret]");
    return visible(text.trim()).replaceAll(/\s+/g, " ").slice(-MOST_COMPLAINT).toWellFormed();
  }

  #wordsOf(code: number | null, signal: string | null): string {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    return `The program ${how}${this.complaint ? `: ${this.complaint}` : "."}`;
  }
}
