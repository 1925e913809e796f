/**
 * Ends every process of an attempt. The group alone is not enough: a child that called setsid has left it. What is left
 * of an attempt is found by the cookie in its environment, which children inherit. Where there is no /proc, only the
 * group can be ended.
 */
import { setTimeout as pause } from "node:timers/promises";
import { CAN_SCAN, findProcess, listProcesses, type ProcessEntry } from "./process-table.ts";

/** The name under which every process of an attempt carries its cookie. */
export const COOKIE = "PARLEY_RUN";

/** So long a process may take to end by itself once it is asked to. */
const GRACE_MS = 5000;
const LOOK_MS = 50;
/** A scan may miss what is born while it looks: so often in a row it has to find nothing. */
const EMPTY_SCANS = 2;
const MOST_SCANS = 100;

interface Leader {
  pid: number;
  /** Empty where the system does not tell. */
  start: string;
}

interface Doomed {
  cookie: string;
  /** Under which it is carried. */
  variable?: string;
  /** The process that was started for it, where that is known. */
  leader?: Leader | undefined;
  grace_ms?: number;
}

interface Leftover extends Doomed {
  /** Found before, while it could be told whose they are. */
  known?: readonly ProcessEntry[];
}

/** Asks the group to end, waits a little, and then makes sure of all. Resolves when nothing of it is left; gives how many had to be killed. */
export async function endAttempt({ grace_ms = GRACE_MS, ...doomed }: Doomed): Promise<number> {
  // One that cleaned its environment is known by its parent alone, which may be gone in a moment.
  const { leader } = doomed;
  const known = await listLeft(doomed);
  if (leader && isSame(leader)) {
    signal(-leader.pid, "SIGTERM");
    for (const until = performance.now() + grace_ms; performance.now() < until && isSame(leader); )
      await pause(LOOK_MS);
  }
  return killAll({ ...doomed, known });
}

/** Kills at once whatever is left of it. */
export async function killAll(leftover: Leftover): Promise<number> {
  const { cookie, leader } = leftover;
  if (!CAN_SCAN) {
    if (leader) signal(-leader.pid, "SIGKILL");
    return leader ? 1 : 0;
  }
  const killed = new Set<string>();
  const older = new Set<number>();
  for (let scan = 0, empty = 0; empty < EMPTY_SCANS; scan += 1) {
    if (scan === MOST_SCANS) throw new Error(`processes of the run ${cookie} keep coming back`);
    const left = await listLeft(leftover, older);
    empty = left.length === 0 ? empty + 1 : 0;
    for (const entry of left) if (kill(entry)) killed.add(`${entry.pid} ${entry.start}`);
    if (left.length === 0) continue;
    // By then a number may be another's.
    older.clear();
    await pause(5);
  }
  return killed.size;
}

/** At once, for who has no time to look for what has left it. */
export function killGroup(leader: Leader | undefined): void {
  if (leader && isSame(leader)) signal(-leader.pid, "SIGKILL");
}

/** Kills whatever carries a cookie that begins so: what is left of whoever gave them out. How many there were. */
export async function killMarked({ variable, beginning }: { variable: string; beginning: string }): Promise<number> {
  const marks = (await listProcesses(variable)).flatMap(({ mark }) => mark ?? []);
  let killed = 0;
  for (const cookie of new Set(marks.filter((mark) => mark.startsWith(beginning))))
    killed += await killAll({ cookie, variable });
  return killed;
}

/** Processes that carry a cookie, by the cookie. */
export async function listCookies(): Promise<Map<string, ProcessEntry[]>> {
  const found = new Map<string, ProcessEntry[]>();
  for (const entry of await listProcesses(COOKIE))
    if (entry.mark) found.set(entry.mark, [...(found.get(entry.mark) ?? []), entry]);
  return found;
}

/** What was there before the leader it cannot have started, and is not looked at. */
async function listLeft(
  { cookie, variable = COOKIE, leader, known = [] }: Leftover,
  older = new Set<number>(),
): Promise<ProcessEntry[]> {
  const listed = await listProcesses(variable, { since: leader?.start, older });
  const all = listed.filter(({ ended, pid }) => !ended && pid !== process.pid);
  // One that has the number of the group, but not the start, leads a later group of strangers.
  const isOurs = leader && !all.some(({ pid, start }) => pid === leader.pid && start !== leader.start);
  const inGroup = ({ group, session }: ProcessEntry): boolean =>
    isOurs === true && (group === leader.pid || session === leader.pid);
  const isKnown = ({ pid, start }: ProcessEntry): boolean =>
    known.some((entry) => entry.pid === pid && entry.start === start);
  const left = all.filter((entry) => inGroup(entry) || isKnown(entry) || entry.mark === cookie);
  return withChildren(left, all);
}

/** One that cleaned its environment is still a child of one that did not, while that one lives. */
function withChildren(found: readonly ProcessEntry[], all: readonly ProcessEntry[]): ProcessEntry[] {
  const family = new Map(found.map((entry) => [entry.pid, entry]));
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    for (const entry of all) if (family.has(entry.parent)) family.set(entry.pid, entry);
  }
  return [...family.values()];
}

/** Its number may be somebody else's by now. */
function kill({ pid, start }: ProcessEntry): boolean {
  if (findProcess(pid)?.start !== start) return false;
  return signal(pid, "SIGKILL");
}

function isSame({ pid, start }: Leader): boolean {
  if (!CAN_SCAN) return signal(pid, 0);
  const entry = findProcess(pid);
  return entry !== undefined && entry.start === start && !entry.ended;
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // Gone meanwhile; or on some systems one that has ended and was not yet waited for.
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) return false;
    throw error;
  }
}
