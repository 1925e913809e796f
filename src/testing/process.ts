/**
 * For end-to-end tests: the real program with a data folder of its own. Commands are child processes, as typed; where
 * what they say is the point, and not the process, they and the hub run in this one, which takes a fifth of the time.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { startHub } from "../app.ts";
import { Home } from "../cli/core/home.ts";
import { runCli } from "../cli/main.ts";
import { type Config, readConfig } from "../config.ts";
import { isAlive } from "../local/processes.ts";
import { CliIo } from "./cli-io.ts";
import { killIfThere } from "./kill.ts";
import { copyTemplate, TEMPLATE } from "./sqlite-template.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const PARLEY = join(ROOT, "bin", "parley");

type Env = Record<string, string>;
export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A new folder that is removed, with every process started in it, when the test is over. */
export class Ground implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "parley-e2e-"));
  readonly home = join(this.folder, "home");
  readonly #children = new Set<Child>();
  readonly #in_process: boolean;
  #hosted: HostedHub | undefined;

  constructor({ in_process = false }: { in_process?: boolean } = {}) {
    this.#in_process = in_process;
  }

  /** Runs a command line to its end. */
  async parley(args: readonly string[], options: { env?: Env; input?: string } = {}): Promise<Ended> {
    if (this.#in_process && !needsProcess(args)) return inThisProcess(args, this.env(options.env), options.input);
    if (this.#hosted && args[0] === "stop") throw new Error("This hub runs in the test's own process: stop() it.");
    const child = this.start(args, options.env);
    child.stdin.end(options.input ?? "");
    return ended(child);
  }

  /** Runs it and gives what it printed as JSON. Anything but exit code 0 is an error. */
  async json<T>(args: readonly string[], options: { env?: Env; input?: string } = {}): Promise<T> {
    const { code, stdout, stderr } = await this.parley(["--json", ...args], options);
    if (code !== 0) throw new Error(`parley ${args.join(" ")}: exit code ${code}\n${stderr}`);
    return JSON.parse(stdout);
  }

  /** Starts it and leaves it running. */
  start(args: readonly string[], env: Env = {}): Child {
    return this.watch(spawn(PARLEY, args, { env: this.env(env), stdio: ["pipe", "pipe", "pipe"] }));
  }

  watch(child: Child): Child {
    this.#children.add(child);
    child.on("exit", () => this.#children.delete(child));
    // One that ends without having read everything: what it printed and its exit code say whether it should have.
    child.stdin.on("error", () => {});
    return child;
  }

  /** A hub in the foreground on a free port, ready. */
  async serve(args: readonly string[] = [], env: Env = {}): Promise<ServedHub> {
    const child = this.start(["serve", "--json", ...args], env);
    const stderr: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
    const line = await firstLine(child);
    if (line === undefined) throw new Error(`the hub did not start:\n${stderr.join("")}`);
    const { url, home, pid } = JSON.parse(line);
    return { url, home, pid, child, stderr: () => stderr.join(""), kill: (signal) => stopChild(child, signal) };
  }

  /** A hub in this process. Nothing that blocks it, such as `spawnSync`, may wait for an answer of such a hub. */
  async host(config: Partial<Config> = {}, options: Parameters<typeof startHub>[1] = {}): Promise<HostedHub> {
    if (!existsSync(this.home) && process.env[TEMPLATE]) {
      mkdirSync(this.home, { mode: 0o700 });
      copyTemplate(this.home);
    }
    const typed = { program: PARLEY, place: `--home ${this.home}` };
    const own = readConfig({ home: this.home, port: 0, typed }, {});
    const settings = { ...own, log_level: "silent" as const, ...config };
    const { url, home, stop, sweep } = await startHub(settings, options);
    this.#hosted = { url, home, stop, sweep };
    return this.#hosted;
  }

  /** What the program tells to type: it is on no PATH here, and this is not the default folder. */
  line(command: string): string {
    return `${PARLEY} ${command} --home ${this.home}`;
  }

  /** Nothing of the caller's own hub, and one cache of compiled code for all tests. */
  env(more: Env = {}): Env {
    const { PATH = "" } = process.env;
    const cache = join(ROOT, "node_modules", ".cache");
    return { PATH, HOME: this.folder, XDG_CACHE_HOME: cache, PARLEY_HOME: this.home, PARLEY_PORT: "0", ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map((child) => stopChild(child, "SIGKILL")));
    await this.#hosted?.stop();
    // What is left was started by a command and is no child of ours.
    const hub = new Home(this.home).hub();
    if (hub) {
      killIfThere(hub.pid);
      await until(() => !isAlive(hub.pid));
    }
    // A program that was started by a command may still write a last file.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

export interface HostedHub {
  url: string;
  home: string;
  /** As SIGTERM does. */
  stop(): Promise<void>;
  /** Handles what is due now. */
  sweep(): Promise<void>;
}

export interface ServedHub {
  url: string;
  home: string;
  pid: number;
  child: Child;
  stderr(): string;
  /** Resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<Ended>;
}

export async function ended(child: Child): Promise<Ended> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, "exit"),
  ]);
  return { code, signal, stdout, stderr };
}

/** Signals, a parent, a terminal or the user's own folder are what these commands are about. */
const OF_A_PROCESS = [
  "serve",
  "stop",
  "demo",
  "mcp",
  "mcp-headers",
  "hook",
  "hooks",
  "watch",
  "wait",
  "doctor",
  "link",
];

/** Those of tasks and runs, such as `task wait`, are about none. */
const needsProcess = (args: readonly string[]): boolean =>
  !args.some((arg) => ["task", "runs"].includes(arg)) && args.some((arg) => OF_A_PROCESS.includes(arg));

async function inThisProcess(args: readonly string[], env: Env, input?: string): Promise<Ended> {
  const io = new CliIo(env, input);
  const code = await runCli(args, io);
  return { code, signal: null, stdout: io.stdout, stderr: io.stderr };
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** Undefined when it ended without one. */
async function firstLine(child: Child): Promise<string | undefined> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  return undefined;
}

/** Also of one that ended before anybody asked: that is told once, to who listens by then. */
export async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

async function stopChild(child: Child, signal: NodeJS.Signals): Promise<Ended> {
  const gone = exited(child);
  child.kill(signal);
  await gone;
  return { code: child.exitCode, signal: child.signalCode, stdout: "", stderr: "" };
}

/** Waits for a condition, however slow the machine is. */
export async function until<T>(condition: () => T | Promise<T>, limit_ms = 90_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + limit_ms;
  for (let pause_ms = 1; ; pause_ms = Math.min(2 * pause_ms, 20)) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`nothing came of it in ${limit_ms} ms: ${condition}`);
    await new Promise((done) => setTimeout(done, pause_ms));
  }
}
