import { readdir, readFile } from "node:fs/promises";
import { Few } from "../few.ts";

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

/** Whether processes can be found by what stands in their environment. Elsewhere only the process group is known. */
export const CAN_SCAN = process.platform === "linux";

const reading = new Few(16);

/** Every process that can be seen; none where the system does not tell. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  if (!CAN_SCAN) return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => reading.run(() => findProcess(pid))));
  return found.filter((entry) => entry !== undefined);
}

export async function findProcess(pid: number): Promise<ProcessEntry | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
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

/** What the process was started with under this name; undefined also where it is not ours to know. */
export async function environmentOf(pid: number, name: string): Promise<string | undefined> {
  const environment = await reading.run(() => readIfThere(`/proc/${pid}/environ`));
  const entry = environment?.split("\0").find((pair) => pair.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

const GONE = ["ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM"];

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && GONE.includes(String(error.code))) return undefined;
    throw error;
  }
}
