import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Answer, Question } from "../children/answering.ts";
import { compiled } from "./compiled.ts";

const STOP_MS = 10_000;
/** Nothing that is asked takes so long, however busy the machine is. */
const ANSWER_MS = 180_000;
/** Where each child writes a CPU profile of its whole life; nowhere unless `--profile` names a folder. */
let profiles: string | undefined;

export function writeProfiles(folder: string): void {
  profiles = folder;
}

interface Options {
  /** Its standard streams are spoken on. */
  piped?: boolean;
  env?: Record<string, string>;
}

/** A program of `bench/children` in a process of its own, with a folder of its own. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #questions = 0;
  /** What it said when it was ready. */
  readonly ready: Promise<unknown>;

  constructor(program: string, { piped = false, env = {} }: Options = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
    const profiling = profiles
      ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${program}-${Date.now()}.cpuprofile`]
      : [];
    this.#process = fork(fileURLToPath(new URL(`../children/${program}.ts`, import.meta.url)), [this.#folder], {
      execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning", ...profiling],
      env: { PATH: process.env.PATH, ...compiled(), ...env },
      silent: piped,
    });
    this.ready = this.#answer(0, program);
    // All that `answerBench` sends is an answer.
    this.#process.on("message", (message) => this.#hear(message as Answer));
    this.#process.on("error", (error) => this.#fail(error));
    this.#process.on("exit", (code, signal) => this.#fail(new Error(`${program} ended (${signal ?? code})`)));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Its standard streams, where they are piped to here. */
  get streams(): { stdin: Writable; stdout: Readable } {
    const { stdin, stdout } = this.#process;
    if (!stdin || !stdout) throw new Error("its streams are not piped");
    return { stdin, stdout };
  }

  get folder(): string {
    return this.#folder;
  }

  /** The caller knows what that program answers to that question. */
  ask<T = void>(what: string, args: object = {}): Promise<T> {
    this.#questions += 1;
    const question: Question = { id: this.#questions, what, args };
    this.#process.send(question);
    return this.#answer(question.id, what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = new Promise((resolve) => this.#process.once("exit", resolve));
      const late = setTimeout(() => this.#process.kill("SIGKILL"), STOP_MS);
      // It ends by itself when nobody is left to ask it.
      this.#process.disconnect();
      await ended;
      clearTimeout(late);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer<T>(id: number, what: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const late = setTimeout(() => reject(new Error(`no answer to ${what} came`)), ANSWER_MS);
    // Answers of every type go through here, each to the one that asked.
    this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    return promise.finally(() => clearTimeout(late));
  }

  #hear({ id, value, error }: Answer): void {
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(error));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** A child that listens on a port, once it does. */
export class Server extends Child {
  port = 0;

  static async start(program: string, env: Record<string, string> = {}): Promise<Server> {
    await using undo = new AsyncDisposableStack();
    const server = undo.use(new Server(program, { env }));
    // Every server says this when it is ready.
    server.port = ((await server.ready) as { port: number }).port;
    undo.move();
    return server;
  }
}
