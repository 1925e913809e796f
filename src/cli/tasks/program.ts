import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { invalid } from "../core/failure.ts";
import { type Env, type Io, STDERR } from "../core/io.ts";
import { isExecutable, placesOf } from "../core/program-path.ts";

/** So long a program may take to end by itself once it is asked to. */
const GRACE_MS = 5000;
/** Of each stream, its end. */
const MOST_KEPT = 256 * 1024;

export interface Program {
  path: string;
  args: readonly string[];
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Looked for before any task is taken: one that cannot be started would use up every task's attempts. */
export function checkProgram([name = "", ...args]: readonly string[], env: Env): Program {
  const path = placesOf(name, env.PATH ?? "").find(isExecutable);
  if (path !== undefined) return { path, args };
  const why = name.includes("/") && existsSync(name) ? "is not executable" : "does not exist";
  throw invalid(`The program ${JSON.stringify(name)} ${why}. Nothing was taken.`);
}

/** A program that was started, in a process group of its own. */
export class Running {
  readonly #child: ChildProcess;
  readonly ended: Promise<Exit>;

  constructor({ path, args }: Program, { io, env, input }: { io: Io; env: Env; input: string }) {
    const child = spawn(path, args, { env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child = child;
    // One that reads nothing is no fault.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [stdout, stderr] = [new Kept(), new Kept()];
    child.stdout.on("data", (bytes: Buffer) => stdout.add(bytes));
    child.stderr.on("data", (bytes: Buffer) => {
      stderr.add(bytes);
      void io.write(STDERR, bytes.toString("utf8"));
    });
    this.ended = new Promise((done, failed) => {
      child.on("error", failed);
      child.on("close", (code, signal) => done({ code, signal, stdout: stdout.text, stderr: stderr.text }));
    });
  }

  /** Asks the group to end, and after a while ends it. */
  async end(): Promise<void> {
    this.#signal("SIGTERM");
    const timer = setTimeout(() => this.#signal("SIGKILL"), GRACE_MS);
    try {
      await this.ended;
    } finally {
      clearTimeout(timer);
    }
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** The end of what was printed. */
class Kept {
  #bytes = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-MOST_KEPT);
  }

  get text(): string {
    return this.#bytes.toString("utf8").toWellFormed();
  }
}
