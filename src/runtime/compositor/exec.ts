/** The built-in server `runtime`: runs a program in one folder, without a shell, within bounds of time and output. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { failure, type ToolResult } from "../toolset.ts";
import type { MountSpec, RemoteTool } from "./server.ts";

const MOST_BYTES = 128 * 1024;

const Exec = z.strictObject({
  cmd: z.array(z.string().max(100_000)).min(1).max(500).describe("The program and its arguments."),
  timeout_seconds: z.int().min(1).max(600).default(60).describe("After so long it is ended."),
});

const TOOL: RemoteTool = {
  name: "exec",
  description: "Runs a program in the working folder, without a shell, and returns its exit code and what it printed.",
  input_schema: z.toJSONSchema(Exec, { io: "input" }),
  // Whatever a program does.
  hints: ["destructive", "open_world"],
};

export const execMount = (cwd: string): MountSpec => ({
  fingerprint: createHash("sha256").update(`exec\0${cwd}`).digest("hex"),
  open: async () => ({
    list: async () => [TOOL],
    call: async (_, args, signal) => {
      const read = Exec.safeParse(args);
      if (read.success) return exec(read.data, cwd, signal);
      const [issue] = read.error.issues;
      return failure("INVALID_ARGUMENT", `${issue?.path.join(".")}: ${issue?.message}`);
    },
    close: async () => {},
  }),
});

async function exec(
  { cmd, timeout_seconds }: z.infer<typeof Exec>,
  cwd: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const [program = "", ...args] = cmd;
  // A group of its own, so that what it has started ends with it.
  const child = spawn(program, args, {
    cwd,
    env: getDefaultEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const end = (): void => killGroup(child.pid);
  let timed_out = false;
  const timer = setTimeout(() => {
    timed_out = true;
    end();
  }, timeout_seconds * 1000);
  signal.addEventListener("abort", end, { once: true });
  try {
    const [stdout, stderr, [exit_code, ended_by]] = await Promise.all([
      read(child.stdout),
      read(child.stderr),
      once(child, "exit").finally(() => end()),
    ]);
    signal.throwIfAborted();
    const output = JSON.stringify({
      exit_code,
      ended_by,
      timed_out,
      stdout,
      stderr,
    });
    return { outcome: exit_code === 0 ? "done" : "failed", output };
  } catch (error) {
    signal.throwIfAborted();
    return failure("NOT_STARTED", error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** One that is gone already needs none of it. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
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
  for await (const chunk of stream) {
    if (bytes < MOST_BYTES) kept.push(chunk);
    bytes += chunk.length;
  }
  const text = Buffer.concat(kept).subarray(0, MOST_BYTES).toString("utf8");
  return bytes > MOST_BYTES ? `${text}… (${bytes} bytes in all)` : text;
}
