import { readFileSync, rmSync, statSync } from "node:fs";
import { createFile, isMissing, readIfThere } from "../../local/files.ts";
import { isAlive } from "../../local/processes.ts";

/** Nobody takes this long to start a hub: a lock that is older was left behind, whoever has its pid now. */
const STALE_MS = 120_000;
/** Between making the file and writing the pid into it. */
const WRITING_MS = 5_000;

/**
 * Lets one of many command lines start the hub while the others wait. Undefined if
 * somebody else has it. It only saves work: should two ever hold it at once, the
 * owner lock of the hub itself still lets only one of their hubs start.
 */
export function takeStartLock(path: string): Disposable | undefined {
  if (createFile(path, `${process.pid}\n`)) return { [Symbol.dispose]: () => release(path) };
  if (isStale(path)) rmSync(path, { force: true });
  // Not tried again here: the next round of the caller does, after looking for a hub once more.
  return undefined;
}

function isStale(path: string): boolean {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    const pid = Number(readFileSync(path, "utf8"));
    if (age > STALE_MS) return true;
    return pid > 0 ? !isAlive(pid) : age > WRITING_MS;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Only if it is still ours: somebody may have thought us dead. */
function release(path: string): void {
  if (Number(readIfThere(path)) === process.pid) rmSync(path, { force: true });
}
