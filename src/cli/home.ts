// Imported by name, node:fs would load every lazy export it has, its promises among them.
const { mkdirSync, readdirSync, readFileSync, statSync } = process.getBuiltinModule("node:fs");
const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/** What `os.homedir` says, without loading it for that. */
const userFolder = (): string => process.env.HOME || process.getBuiltinModule("node:os").homedir();

/** A data folder: what the hub leaves there for those who want to reach it. */
export class Home {
  readonly path: string;

  constructor(given: string | undefined) {
    this.path = resolve((given ?? "~/.parley").replace(/^~(?=$|\/)/, userFolder));
  }

  get log(): string {
    return join(this.path, "hub.log");
  }

  get startLock(): string {
    return join(this.path, "start.lock");
  }

  /** The hub that runs on this folder. A file left by one that was killed does not count. */
  hub(): RunningHub | undefined {
    const hub = parseHub(this.#read("hub.json"));
    return hub && isAlive(hub.pid) ? hub : undefined;
  }

  /** Whether anything waits in the outbox. */
  hasMailOut(): boolean {
    try {
      return readdirSync(join(this.path, "outbox")).some((name) => name.endsWith(".json"));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  adminToken(): string | undefined {
    return this.#read("admin.token")?.trim() || undefined;
  }

  #read(name: string): string | undefined {
    try {
      return readFileSync(join(this.path, name), "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

export interface RunningHub {
  pid: number;
  url: string;
  version: string;
  started_at: string;
}

function parseHub(text: string | undefined): RunningHub | undefined {
  if (!text) return undefined;
  try {
    const { pid, url, version, started_at } = JSON.parse(text);
    return Number.isSafeInteger(pid) && pid > 0 && typeof url === "string"
      ? { pid, url, version: String(version), started_at: String(started_at) }
      : undefined;
  } catch {
    // Half a file is what a crash of the machine leaves behind: there is no hub to speak of.
    return undefined;
  }
}

/** Whether a process of ours has this pid. One that has ended but was not yet waited for is gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // ESRCH: there is none. EPERM: somebody else has the number now.
    return false;
  }
  return processState(pid) !== "Z";
}

/** Its letter in /proc, where there is one. */
function processState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2)[0];
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "ESRCH"].includes(String(error.code));

/** Step by step: Node's own `recursive` never returns where a folder exists but nothing can be made in it, as in /proc. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Unless somebody else was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
