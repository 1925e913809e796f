import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isAlive } from "../../local/processes.ts";

const MODULE = fileURLToPath(new URL("program-process.ts", import.meta.url));

/** A runtime that starts a program, which starts another one, and says which they are. */
const RUNTIME = `
  const { ProgramProcess } = await import(${JSON.stringify(MODULE)});
  const program = "const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });"
    + "console.log(process.pid + ' ' + pid); setInterval(() => {}, 1000);";
  const argv = [process.execPath, "-e", program];
  const started = await ProgramProcess.start({ argv, cwd: "/", env: {}, given: {} });
  started.stdout.pipe(process.stdout);
`;

test("when a runtime is killed without a word, its program ends with all that it started", async () => {
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", RUNTIME];
  const runtime = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: runtime.stdout }), "line");
  const pids = String(line).split(" ").map(Number);
  expect(pids.map((pid) => isAlive(pid))).toEqual([true, true]);
  runtime.kill("SIGKILL");
  await expect.poll(() => pids.some((pid) => isAlive(pid)), { timeout: 60_000 }).toBe(false);
});
