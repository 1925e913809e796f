/** Which process a number belongs to, as far as /proc tells: a number is given to another one when its process has ended. */

/** Whether a process of ours has this number, and is the one that began at `start`, where that is known. */
export function isAlive(pid: number, start = ""): boolean {
  // Numbers below name groups of processes, one of which is our own.
  if (!(pid > 0)) return false;
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
  const words = readProc(pid, "cmdline")?.split("\0");
  return words?.includes(command) && words.some((word) => /\/main\.(ts|c?js)$/.test(word));
}

interface Stat {
  program: string;
  state: string;
  terminal: string;
  start: string;
}

/** As Linux counts them: the state is the third field, the terminal the seventh, the start the twenty-second. */
export function statOf(pid: number): Stat | undefined {
  const stat = readProc(pid, "stat");
  if (stat === undefined) return undefined;
  // The name in brackets may have anything in it.
  const [open, close] = [stat.indexOf("("), stat.lastIndexOf(")")];
  const words = stat.slice(close + 2).split(" ");
  const [state = "", terminal = "", start = ""] = [words[0], words[4], words[19]];
  return { program: stat.slice(open + 1, close), state, terminal, start };
}

export function readProc(pid: number, name: string): string | undefined {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    // Gone meanwhile, another user's, or there is no /proc here.
    return undefined;
  }
}
