/**
 * What one process of this machine has at a time: a file that names it. One that was killed holds nothing, even if
 * another process has its number by now.
 */

import { createFile, makeFolder, readIfThere } from "../../local/files.ts";
import { isAlive, startOf } from "../../local/processes.ts";

const { rmSync } = process.getBuiltinModule("node:fs");
const { dirname } = process.getBuiltinModule("node:path");

export class ProcessLock {
  protected readonly path: string;
  readonly #own = `${process.pid} ${startOf(process.pid)}\n`;

  constructor(path: string) {
    this.path = path;
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
    if (this.holder() !== undefined) return false;
    rmSync(this.path, { force: true });
    return createFile(this.path, this.#own);
  }

  /** Two that took over from a dead one at the same moment: the first finds here that it lost. */
  held(): boolean {
    return readIfThere(this.path) === this.#own;
  }

  release(): void {
    if (this.held()) rmSync(this.path, { force: true });
  }
}
