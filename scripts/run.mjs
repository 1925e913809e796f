import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program, in the checkout unless told otherwise, and resolves to its exit code. Its children find our tools and this Node first. */
export function run(command, args, { cwd = root, env = {}, stdio = "inherit" } = {}) {
  const path = [join(root, "node_modules", ".bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    stdio,
  });

  // Ctrl-C reaches the child by itself, and it may have to clean up: outlive it. Other signals come to us alone.
  const stay = () => {};
  const pass = (signal) => child.kill(signal);
  process.on("SIGINT", stay).on("SIGTERM", pass).on("SIGHUP", pass);

  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  }).finally(() => process.off("SIGINT", stay).off("SIGTERM", pass).off("SIGHUP", pass));
}
