/**
 * Who waits for an agent's mail on this machine: `<home>/watch/<space>/<agent>.lock` names the process. Held by one at a
 * time; one that was killed holds nothing, even if another process has its number by now.
 */
import { isAlive, startOf } from "../../local/processes.ts";
import { type Home, isMissing, makeFolder } from "../core/home.ts";

const { readFileSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

export class Lease {
  readonly #path: string;
  readonly #own = `${process.pid} ${startOf(process.pid)}\n`;

  constructor(home: Home, { space, agent }: { space: string; agent: string }) {
    this.#path = join(home.path, "watch", encodeURIComponent(space), `${encodeURIComponent(agent)}.lock`);
  }

  /** The process that holds it. */
  holder(): number | undefined {
    const text = readIfThere(this.#path);
    const pid = Number(text?.split(" ")[0]);
    return text !== undefined && pid > 0 && isAlive(pid) && text === `${pid} ${startOf(pid)}\n` ? pid : undefined;
  }

  /** False if another one has it. */
  take(): boolean {
    makeFolder(dirname(this.#path));
    if (this.#create()) return true;
    if (this.holder() !== undefined) return false;
    rmSync(this.#path, { force: true });
    return this.#create();
  }

  /** Two that took over from a dead one at the same moment: the first finds here that it lost. */
  held(): boolean {
    return readIfThere(this.#path) === this.#own;
  }

  release(): void {
    if (this.held()) rmSync(this.#path, { force: true });
  }

  /** The position up to which mail has woken somebody already. */
  get mark(): bigint {
    const text = readIfThere(this.#markPath)?.trim() ?? "";
    return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  }

  set mark(position: bigint) {
    const temporary = `${this.#markPath}.${process.pid}`;
    writeFileSync(temporary, `${position}\n`, { mode: 0o600 });
    renameSync(temporary, this.#markPath);
  }

  get #markPath(): string {
    return this.#path.replace(/\.lock$/, ".watermark");
  }

  #create(): boolean {
    try {
      writeFileSync(this.#path, this.#own, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
