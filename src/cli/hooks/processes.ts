/** What is known of other processes: from /proc where there is one, else from `ps`. */
import { readProc, statOf } from "../../local/processes.ts";

/** The command line it was started with; none where nobody says. */
export function wordsOf(pid: number): string[] {
  const cmdline = readProc(pid, "cmdline");
  const words = cmdline === undefined ? ps(["-o", "args=", "-p", `${pid}`]).split(/\s+/) : cmdline.split("\0");
  return words.filter(Boolean);
}

/** What tells it from one that has its number later; undefined for one that is not there, or has ended. */
export function startOf(pid: number): string | undefined {
  const stat = statOf(pid);
  if (stat) return stat.state === "Z" ? undefined : stat.start;
  return ps(["-o", "lstart=", "-p", `${pid}`]).trim() || undefined;
}

/** Names this very process, and none that has its number later. */
export const markOf = (pid: number): string => `${pid} ${startOf(pid)}`;

/** Whether the process is still there that a mark names. */
export function isMarked(mark: string): boolean {
  const [, pid, start] = /^(\d+) (.+)$/.exec(mark) ?? [];
  return pid !== undefined && startOf(Number(pid)) === start;
}

/** The folder it works in; undefined where nobody says. */
export function folderOf(pid: number): string | undefined {
  try {
    return process.getBuiltinModule("node:fs").readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // Gone meanwhile, or there is no /proc here.
    return undefined;
  }
}

/** Those of this user that a program of that name runs at a terminal. */
export function atTerminals(program: string): number[] {
  const { existsSync, readdirSync, statSync } = process.getBuiltinModule("node:fs");
  if (!existsSync("/proc/self/stat")) return listed(program);
  const uid = process.geteuid?.();
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      if (!stat || stat.program !== program || stat.terminal === "0" || stat.state === "Z") return false;
      return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid;
    });
}

function listed(program: string): number[] {
  return ps(["-xo", "pid=,tty=,ucomm="])
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, terminal, name]) => name === program && terminal !== "??" && terminal !== "?")
    .map(([pid]) => Number(pid));
}

function ps(args: readonly string[]): string {
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    return execFileSync("ps", args, { encoding: "utf8", timeout: 1_000, stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    // No such process, or no ps: then nobody says.
    return "";
  }
}
