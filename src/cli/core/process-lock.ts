/**
 * What one process of this machine has at a time: a file that names it. One that was killed holds nothing, even if
 * another process has its number by now.
 */

import { createFile, makeFolder, readIfThere } from "../../local/files.ts";
import { isAlive, startOf } from "../../local/processes.ts";

const { rmSync, statSync } = process.getBuiltinModule("node:fs");
const { dirname } = process.getBuiltinModule("node:path");

/** Between making the file and writing into it. */
const WRITING_MS = 5_000;
/** Nobody takes this long to start a hub, or for anything else that is done at once: whoever still has the lock hangs. */
const MOST_MS = 120_000;

export class ProcessLock {
  readonly path: string;
  readonly #most_ms: number;
  readonly #own = `${process.pid} ${startOf(process.pid)}\n`;

  constructor(path: string, most_ms = Number.POSITIVE_INFINITY) {
    this.path = path;
    this.#most_ms = most_ms;
  }

  /** The process that holds it. */
  holder(): number | undefined {
    const text = readIfThere(this.path);
    const pid = Number(text?.split(" ")[0]);
    return text !== undefined && pid > 0 && isAlive(pid) && text === `${pid} ${startOf(pid)}\n` ? pid : undefined;
  }

  /** False if another one has it. */
  take(): boolean {
    makeFolder(dirname(this.path));
    if (createFile(this.path, this.#own)) return true;
    if (!this.isFree()) return false;
    rmSync(this.path, { force: true });
    return createFile(this.path, this.#own);
  }

  /** Nobody has it, or whoever left it behind holds it no more. */
  isFree(): boolean {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    if (!stat) return true;
    const age_ms = Date.now() - stat.mtimeMs;
    if (age_ms > this.#most_ms) return true;
    return this.holder() === undefined && (stat.size > 0 || age_ms > WRITING_MS);
  }

  /** Two that took over from a dead one at the same moment: the first finds here that it lost. */
  held(): boolean {
    return readIfThere(this.path) === this.#own;
  }

  release(): void {
    if (this.held()) rmSync(this.path, { force: true });
  }
}

/** For what is soon done, by one of us while the others wait. It only saves work: two that hold it at once do no harm. */
export const briefLock = (path: string): ProcessLock => new ProcessLock(path, MOST_MS);

/** Undefined if somebody else has it. */
export function takeBriefly(path: string): Disposable | undefined {
  const lock = briefLock(path);
  return lock.take() ? { [Symbol.dispose]: () => lock.release() } : undefined;
}
