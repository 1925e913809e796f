import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";

/** A process as /proc shows it. */
export interface ProcessEntry {
  pid: number;
  /** When it began, in the kernel's own count: with the pid it names one process, however often the number is given again. */
  start: string;
  parent: number;
  group: number;
  session: number;
  ended: boolean;
}

/** With what it was started with under a name that was asked for; undefined also where that is not ours to know. */
export interface MarkedProcess extends ProcessEntry {
  mark: string | undefined;
}

/** Whether processes can be found by what stands in their environment. Elsewhere only the process group is known. */
export const CAN_SCAN = process.platform === "linux";

/** What is read in one turn of the loop: a fraction of a millisecond for each hundred. */
const A_TURN = 200;

interface Sought {
  /** Only those that began then or later. */
  since?: string | undefined;
  /** Numbers of those that began before: filled by one look, so that the next one, a moment later, passes them over. */
  older?: Set<number>;
}

/** Every process that can be seen, marked by that variable; none where the system does not tell. */
export async function listProcesses(
  variable: string,
  { since = "", older = new Set() }: Sought = {},
): Promise<MarkedProcess[]> {
  if (!CAN_SCAN) return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !older.has(Number(name)));
  const found: MarkedProcess[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % A_TURN === A_TURN - 1) await turn();
    const entry = findProcess(Number(pid));
    if (entry && Number(entry.start) < Number(since)) older.add(entry.pid);
    else if (entry) found.push({ ...entry, mark: entry.ended ? undefined : environmentOf(entry.pid, variable) });
  }
  return found;
}

export function findProcess(pid: number): ProcessEntry | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in brackets may have anything in it.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    start: rest[15] ?? "",
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    ended: state === "Z" || state === "X",
  };
}

function environmentOf(pid: number, name: string): string | undefined {
  const environment = readIfThere(`/proc/${pid}/environ`);
  const entry = environment?.split("\0").find((pair) => pair.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

const GONE = ["ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM"];

/** Larger than what nearly all of them are; one at a time uses it. */
const bytes = Buffer.allocUnsafe(64 * 1024);

/** The kernel has them in memory: a thread that reads them meanwhile costs twenty times what they do. */
function readIfThere(path: string): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      return readAll(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && GONE.includes(String(error.code))) return undefined;
    throw error;
  }
}

/** How long it is the kernel does not say beforehand. */
function readAll(file: number): string {
  let text = "";
  for (let read = bytes.length; read === bytes.length; text += bytes.toString("latin1", 0, read))
    read = readSync(file, bytes, 0, bytes.length, null);
  return text;
}
