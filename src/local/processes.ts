/** Which process a number belongs to, as far as /proc tells: a number is given to another one when its process has ended. */
import { readIfThere } from "./files.ts";

/** Whether a process of ours has this number, and is the one that began at `start`, where that is known. */
export function isAlive(pid: number, start = ""): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // ESRCH: there is none. EPERM: somebody else has the number now.
    return false;
  }
  const stat = statOf(pid);
  // One that has ended but was not yet waited for is gone.
  return stat?.state !== "Z" && (!stat || start === "" || stat.start === start);
}

/** When a process began, in the kernel's own count; nothing where /proc does not tell. */
export const startOf = (pid: number): string => statOf(pid)?.start ?? "";

/** Whether it is a program of ours that runs this command; undefined where that cannot be seen. */
export function isProgram(pid: number, command: string): boolean | undefined {
  const words = readIfThere(`/proc/${pid}/cmdline`)?.split("\0");
  return words?.includes(command) && words.some((word) => /\/main\.(ts|c?js)$/.test(word));
}

function statOf(pid: number): { state: string; start: string } | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in brackets may have anything in it.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: words[0] ?? "", start: words[19] ?? "" };
}
