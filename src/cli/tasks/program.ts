import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as pause } from "node:timers/promises";
import { endAttempt, killAll, killGroup } from "../../local/killing.ts";
import { startOf } from "../../local/processes.ts";
import { storable } from "../../text.ts";
import { invalid } from "../core/failure.ts";
import { type Env, type Io, STDERR } from "../core/io.ts";
import { candidates, isExecutable } from "../core/program.ts";

/** What every process of a task carries. Not the hub's own: a worker may be part of a run itself. */
export const VARIABLE = "PARLEY_WORK";
/** Of each stream, its end. */
const MOST_KEPT = 256 * 1024;
/** So long the pipes of a program that has ended may take to run dry. */
const DRAIN_MS = 2000;

type Printing = Pick<ChildProcessByStdio<Writable, Readable, Readable>, "stdout" | "stderr">;

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

/**
 * Looked for before any task is taken: one that cannot be started would use up every task's attempts. `otherwise` says
 * what was not done.
 */
export function checkProgram([name = "", ...args]: readonly string[], env: Env, otherwise: string): Program {
  const path = candidates(name, env.PATH ?? "").find(isExecutable);
  if (path !== undefined) return { path, args };
  const why = name.includes("/") && existsSync(name) ? "is not executable" : "does not exist";
  throw invalid(`The program ${JSON.stringify(name)} ${why}. ${otherwise}`);
}

/** It was there, and yet could not be started: what it is to be run by may be missing, or it was removed meanwhile. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
}

/** A program that was started, in a process group of its own. When it is over, nothing of what it started is left. */
export class Running {
  readonly #started: Parameters<typeof killAll>[0];
  readonly ended: Promise<Exit>;

  constructor({ path, args }: Program, { io, env, input, mark }: { io: Io; env: Env; input: string; mark: string }) {
    const cookie = `${mark}.${randomBytes(12).toString("hex")}`;
    const own = { ...env, [VARIABLE]: cookie };
    const child = spawn(path, args, { env: own, stdio: ["pipe", "pipe", "pipe"], detached: true });
    const { pid } = child;
    const leader = pid === undefined ? undefined : { pid, start: startOf(pid) };
    this.#started = { cookie, variable: VARIABLE, leader };
    // Nobody reads what we print any more, or we fail: no time is left then for more than the group.
    const killed = (): void => killGroup(leader);
    process.once("exit", killed);
    // One that reads nothing is no fault.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [stdout, stderr] = [new Kept(), new Kept()];
    child.stdout.on("data", (bytes: Buffer) => stdout.add(bytes));
    passOn(child.stderr, io, stderr);
    this.ended = new Promise((done, failed) => {
      child.on("error", (cause) => {
        const why = `The program ${JSON.stringify(path)} could not be started: ${cause.message}.`;
        failed(pid === undefined ? new NotStarted(why, { cause }) : cause);
      });
      child.on("exit", () => void leave(child, this.#started).catch(failed));
      child.on("close", () => process.off("exit", killed));
      child.on("close", (code, signal) => done({ code, signal, stdout: stdout.text, stderr: stderr.text }));
    });
  }

  /** Asks the group to end, and after a while ends it with all that has left it. */
  async end(): Promise<void> {
    await endAttempt(this.#started);
    await this.ended;
  }
}

/** One piece at a time: where it cannot be written now the program waits, as it would at a terminal, and nothing piles up here. */
function passOn(stream: Readable, io: Io, kept: Kept): void {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (bytes: Buffer) => {
    kept.add(bytes);
    stream.pause();
    void io.write(STDERR, decoder.write(bytes)).then(() => stream.resume());
  });
}

/** What it left behind may hold its output open, and where that cannot be found nobody waits for it. */
async function leave({ stdout, stderr }: Printing, started: Parameters<typeof killAll>[0]): Promise<void> {
  await killAll(started);
  const read = Promise.all([stdout, stderr].map((stream) => finished(stream, { cleanup: true })));
  await Promise.race([read, pause(DRAIN_MS, undefined, { ref: false })]);
  for (const stream of [stdout, stderr]) stream.destroy();
}

/** The end of what was printed. */
class Kept {
  #bytes = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-MOST_KEPT);
  }

  get text(): string {
    return storable(this.#bytes.toString("utf8"));
  }
}
