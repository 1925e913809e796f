import { readIfThere, replaceFile } from "../../local/files.ts";
import type { Home } from "../core/home.ts";
import { ProcessLock } from "../core/process-lock.ts";

const { join } = process.getBuiltinModule("node:path");

/** Who waits for an agent's mail on this machine: `<home>/watch/<space>/<agent>.lock` names the process. */
export class Lease extends ProcessLock {
  constructor(home: Home, { space, agent }: { space: string; agent: string }) {
    super(join(home.path, "watch", encodeURIComponent(space), `${encodeURIComponent(agent)}.lock`));
  }

  /** The position up to which mail has woken somebody already. */
  get mark(): bigint {
    const text = readIfThere(this.#markPath)?.trim() ?? "";
    return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  }

  set mark(position: bigint) {
    replaceFile(this.#markPath, `${position}\n`);
  }

  get #markPath(): string {
    return this.path.replace(/\.lock$/, ".watermark");
  }
}
