import { codeOf, ifThere } from "../../local/files.ts";
import { isAlive } from "../../local/processes.ts";
import { readOwn, untrusted } from "../../local/rights.ts";
import { socketOf } from "../../local/unix-socket.ts";
import { Failure, REFUSED } from "./failure.ts";
import { jsonIn } from "./io.ts";
import { programName } from "./program.ts";

// Imported by name, node:fs would load every lazy export it has, its promises among them.
const { readdirSync } = process.getBuiltinModule("node:fs");
const { join, resolve } = process.getBuiltinModule("node:path");

/** A data folder: what the hub leaves there for those who want to reach it. */
export class Home {
  readonly path: string;
  readonly #default: string;

  constructor(given: string | undefined, user_folder: string | undefined = process.env.HOME) {
    // What `os.homedir` says, without loading it for that.
    const user = user_folder || process.getBuiltinModule("node:os").homedir();
    this.#default = resolve(user, ".parley");
    this.path = given === undefined ? this.#default : resolve(given.replace(/^~(?=$|\/)/, user));
  }

  /** The one that commands take when they are told nothing. */
  get isDefault(): boolean {
    return this.path === this.#default;
  }

  get log(): string {
    return join(this.path, "hub.log");
  }

  get startLock(): string {
    return join(this.path, "start.lock");
  }

  /** The hub that runs on this folder. A file left by one that was killed does not count. */
  hub(): RunningHub | undefined {
    const text = this.#read("hub.json");
    if (text === undefined) return undefined;
    this.refuseUntrusted();
    const hub = parseHub(this.path, text);
    return hub && isAlive(hub.pid, hub.pid_start) ? hub : undefined;
  }

  /** The same, if this is its address. */
  hubAt(url: string): RunningHub | undefined {
    const hub = this.hub();
    return hub && URL.canParse(url) && new URL(url).origin === new URL(hub.url).origin ? hub : undefined;
  }

  /** Whether anything waits in the outbox. */
  hasMailOut(): boolean {
    return ifThere(() => readdirSync(join(this.path, "outbox")))?.some((name) => name.endsWith(".json")) ?? false;
  }

  adminToken(): string | undefined {
    return this.#read("admin.token")?.trim() || undefined;
  }

  /** What others can put there could name a hub of theirs, and would be sent our tokens. */
  refuseUntrusted(): void {
    const why = untrusted(this.path);
    if (why) throw unsafe(`${this.path} ${why}. See: ${programName()} doctor`);
  }

  #read(name: string): string | undefined {
    const path = join(this.path, name);
    try {
      return ifThere(() => readOwn(path));
    } catch (error) {
      if (codeOf(error) === "ELOOP")
        throw unsafe(`${path} is a link, and links are not followed here. See what it is, and remove it.`, error);
      throw error;
    }
  }
}

export interface RunningHub {
  pid: number;
  /** When that process began, by which it is told from a later one of the same number; empty where nothing tells. */
  pid_start: string;
  /** For browsers, and for clients elsewhere. */
  url: string;
  /** For whoever can enter the data folder; undefined for a hub from before there was one. */
  socket: string | undefined;
  version: string;
  started_at: string;
}

export const unsafe = (message: string, cause?: unknown): Failure =>
  new Failure("FOLDER_UNSAFE", message, { exit: REFUSED, cause });

/** Where a command finds the hub of a folder: by its socket alone, since anybody may listen at a port. */
export function placeOf({ url, socket, version }: RunningHub): { url: string; socket: string } {
  if (socket) return { url, socket };
  throw new Failure(
    "HUB_UNREACHABLE",
    `The hub that runs is Parley ${version}, which is older than this program: stop it, and start it anew.`,
  );
}

function parseHub(home: string, text: string): RunningHub | undefined {
  // Half a file is what a crash of the machine leaves behind: there is no hub to speak of.
  const { pid, pid_start, url, socket, version, started_at } = Object(jsonIn(text));
  if (!Number.isSafeInteger(pid) || pid <= 0 || typeof url !== "string") return undefined;
  return {
    pid,
    pid_start: String(pid_start ?? ""),
    url,
    socket: socketOf(home, socket),
    version: String(version),
    started_at: String(started_at),
  };
}
