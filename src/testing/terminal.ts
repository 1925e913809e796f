/** For end-to-end tests: what the program does at a terminal, which is a real one. */
import { spawn } from "node:child_process";
import { type Ended, ended, type Ground, PARLEY } from "./process.ts";

interface Terminal {
  columns?: number;
  /** What is typed, once it asks. */
  typed?: string;
  /** What it prints when it is to be typed, where that is no question. */
  once?: string;
  env?: Record<string, string>;
}

/** Runs a command line at a terminal of its own: stdout and stderr are both that, and so is what it reads. */
export async function atTerminal(
  ground: Ground,
  args: readonly string[],
  { columns = 80, typed = "", once, env = {} }: Terminal = {},
): Promise<Ended> {
  const words = [PARLEY, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} -echo; exec ${words}`, "/dev/null"], {
    env: ground.env({ TERM: "xterm", ...env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  ground.watch(child);
  let seen = "";
  const asked = new Promise<void>((resolve) =>
    child.stdout.on("data", (part) => {
      seen += part;
      if (once === undefined ? /\? |\] /.test(seen) : seen.includes(once)) resolve();
    }),
  );
  if (typed !== "") void asked.then(() => child.stdin.write(typed));
  const { stdout, ...end } = await ended(child);
  return { ...end, stdout: stdout.replaceAll("\r\n", "\n") };
}
