import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { compiled } from "./compiled.ts";

export const PARLEY = fileURLToPath(new URL("../../bin/parley", import.meta.url));

export type Program = ChildProcessByStdio<null, Readable, null>;

/** A program as a hook's shell starts it: stdout is a pipe, and nothing of the caller's own hub is around it. */
export function start(
  command: readonly string[],
  { folder, env }: { folder: string; env: Record<string, string> },
): Program {
  const [program = "", ...args] = command;
  const { PATH = "" } = process.env;
  return spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME: folder, ...compiled(), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** What it printed. Fails unless it ended well. */
export async function finished(program: Program): Promise<string> {
  const chunks: Buffer[] = [];
  program.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise((resolve, reject) => program.on("close", resolve).on("error", reject));
  if (code !== 0) throw new Error(`a program ended with ${code}: ${Buffer.concat(chunks)}`);
  return Buffer.concat(chunks).toString("utf8");
}

const ESTABLISHED = "01";
const PAUSE_MS = 10;
/** For its request to be read, once it is connected; all of it where the system does not tell who is connected. */
const SETTLE_MS = existsSync("/proc/net/tcp") ? 100 : 1000;

/** Waits until so many are connected to the port, and what they asked has been read. */
export async function connected(port: number, count: number): Promise<void> {
  while (existsSync("/proc/net/tcp") && connections(port) < count) await pause(PAUSE_MS);
  await pause(SETTLE_MS);
}

/** Those that lead to the port, seen from the side that opened them. */
export function connections(port: number): number {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(wanted) && state === ESTABLISHED).length;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
