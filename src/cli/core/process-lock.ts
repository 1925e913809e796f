/**
 * What one process of this machine has at a time: a file that names it. One that was killed holds nothing, even if
 * another process has its number by now.
 */
import { isAlive, startOf } from "../../local/processes.ts";
import { isMissing, makeFolder } from "./home.ts";

const { readFileSync, rmSync, writeFileSync } = process.getBuiltinModule("node:fs");
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
    if (this.#create()) return true;
    if (this.holder() !== undefined) return false;
    rmSync(this.path, { force: true });
    return this.#create();
  }

  /** Two that took over from a dead one at the same moment: the first finds here that it lost. */
  held(): boolean {
    return readIfThere(this.path) === this.#own;
  }

  release(): void {
    if (this.held()) rmSync(this.path, { force: true });
  }

  #create(): boolean {
    try {
      writeFileSync(this.path, this.#own, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
