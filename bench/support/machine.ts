import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

const SELF = "/proc/self/stat";
const MS_A_TICK = 10;

/**
 * The part of the machine's CPU time that went to others while `work` ran, from 0 to 1: how noisy its figures are.
 * Only Linux tells what children used that have ended; null elsewhere.
 */
export async function withOthers<T>(work: () => Promise<T>): Promise<{ result: T; others: number | null }> {
  const before = { ...machine(), own: own() };
  const result = await work();
  const { busy, all } = machine();
  const mine = own();
  if (mine === null || before.own === null) return { result, others: null };
  const others = (busy - before.busy - (mine - before.own)) / (all - before.all);
  return { result, others: Math.max(0, others) };
}

/** Milliseconds that the CPUs were busy, and that there were. */
function machine(): { busy: number; all: number } {
  let busy = 0;
  let idling = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idling += times.idle;
  }
  return { busy, all: busy + idling };
}

/** Milliseconds of CPU that this process and its children that have ended used. */
function own(): number | null {
  if (!existsSync(SELF)) return null;
  const text = readFileSync(SELF, "utf8");
  // After the name in parentheses, which may hold anything: utime, stime, cutime and cstime are the 12th to 15th.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MS_A_TICK, 0);
}
