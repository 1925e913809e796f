/** The built-in server `runtime`: runs a program in one folder, without a shell, within bounds of time and output. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { fitTo } from "../../issues.ts";
import { guardOf } from "../../local/guard.ts";
import { killAll } from "../../local/killing.ts";
import { startOf } from "../../local/processes.ts";
import { failure, type ToolResult } from "../toolset.ts";
import { MOUNT_COOKIE, type MountSpec, type RemoteTool } from "./server.ts";

const MOST_BYTES = 128 * 1024;
/** So long the pipes of a program that has ended may take to run dry. */
const DRAIN_MS = 2000;

const Exec = z.strictObject({
  cmd: z.array(z.string().max(100_000)).min(1).max(500).describe("The program and its arguments."),
  timeout_seconds: z.int().min(1).max(600).default(60).describe("After so long it is ended."),
});

type Exec = z.infer<typeof Exec>;

const TOOL: RemoteTool = {
  name: "exec",
  description: "Runs a program in the working folder, without a shell, and returns its exit code and what it printed.",
  input_schema: z.toJSONSchema(Exec, { io: "input" }),
  // Whatever a program does.
  hints: ["destructive", "open_world"],
};

interface Place {
  cwd: string;
  /** How what its processes carry begins. */
  mark: string;
}

/** With `mark` its processes carry that, by which whoever comes next finds what a runtime that was killed has left. */
export const execMount = (cwd: string, mark = "exec"): MountSpec => ({
  fingerprint: createHash("sha256").update(`exec\0${cwd}`).digest("hex"),
  open: async () => ({
    list: async () => [TOOL],
    call: async (_, args, signal) => {
      const fitted = fitTo(Exec, args);
      if ("data" in fitted) return exec(fitted.data, { cwd, mark }, signal);
      return failure("INVALID_ARGUMENT", `${fitted.wrong}.`);
    },
    close: async () => {},
  }),
});

async function exec({ cmd, timeout_seconds }: Exec, { cwd, mark }: Place, signal: AbortSignal): Promise<ToolResult> {
  signal.throwIfAborted();
  const [program = "", ...args] = cmd;
  const carried = { [MOUNT_COOKIE]: `${mark}.${randomBytes(9).toString("base64url")}` };
  // A group of its own, so that what it has started ends with it.
  const child = spawn(program, args, {
    ...{ cwd, env: { ...getDefaultEnvironment(), ...carried } },
    ...{ stdio: ["ignore", "pipe", "pipe"], detached: true },
  });
  // One that runs has a number at once; why another does not is told by an event.
  if (child.pid === undefined) {
    const [error] = await once(child, "error");
    return failure("NOT_STARTED", error instanceof Error ? error.message : String(error));
  }
  const running = new Run(child, child.pid, carried);
  const timer = setTimeout(() => running.cut(), timeout_seconds * 1000);
  const cut = (): void => running.cut();
  signal.addEventListener("abort", cut, { once: true });
  try {
    const [exit_code, ended_by, timed_out] = [...(await running.exited), running.is_cut];
    clearTimeout(timer);
    const [stdout, stderr] = await running.rest();
    signal.throwIfAborted();
    const output = JSON.stringify({ exit_code, ended_by, timed_out, stdout, stderr });
    return { outcome: exit_code === 0 ? "done" : "failed", output };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cut);
  }
}

/** A program that runs. When it is over nothing of what it started is left, also of what has left its group. */
class Run {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #carried: Record<string, string>;
  readonly #leader: { pid: number; start: string };
  readonly #guard: ChildProcess;
  readonly #read: Promise<[string, string]>;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
  is_cut = false;

  constructor(child: ChildProcessByStdio<null, Readable, Readable>, pid: number, carried: Record<string, string>) {
    this.#child = child;
    this.#carried = carried;
    this.#leader = { pid, start: startOf(pid) };
    this.#guard = guardOf(pid, carried);
    this.#read = Promise.all([read(child.stdout), read(child.stderr)]);
    this.exited = once(child, "exit").then(([code, signal]) => [code, signal]);
  }

  cut(): void {
    this.is_cut = true;
    killGroup(this.#leader.pid);
  }

  /** What it printed. Whatever outlived it, and keeps its pipes open, is ended; what cannot be found is not waited for. */
  async rest(): Promise<[string, string]> {
    for (const [variable, cookie] of Object.entries(this.#carried))
      await killAll({ cookie, variable, leader: this.#leader });
    this.#guard.kill("SIGKILL");
    await Promise.race([this.#read, pause(DRAIN_MS, undefined, { ref: false })]);
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.destroy();
    return this.#read;
  }
}

/** One that is gone already needs none of it. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The beginning of it; the rest is read and let go, so that the program is not held up. */
async function read(stream: Readable): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      if (bytes < MOST_BYTES) kept.push(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    // Closed by us, since something that outlived the program kept it open.
    if (!stream.destroyed) throw error;
  }
  const text = Buffer.concat(kept).subarray(0, MOST_BYTES).toString("utf8");
  return bytes > MOST_BYTES ? `${text}… (${bytes} bytes in all)` : text;
}
