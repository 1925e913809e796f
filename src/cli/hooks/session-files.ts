/** What the hooks and the waiter of one session tell each other, by small files in `hooks/` of the data folder. */
import { readIfThere, replaceFile, sha256 } from "../../local/files.ts";
import { atTerminals, folderOf, isMarked, markOf, wordsOf } from "./processes.ts";

export class SessionFile {
  protected readonly folder: string;
  protected readonly path: string;

  constructor(home: string, session_id: string, kind: string) {
    this.folder = `${home}/hooks`;
    this.path = `${this.folder}/${sha256(session_id)}${kind}`;
  }

  write(text: string): void {
    replaceFile(this.path, text);
  }

  read(): string | undefined {
    return readIfThere(this.path);
  }

  get exists(): boolean {
    return this.read() !== undefined;
  }

  remove(): void {
    process.getBuiltinModule("node:fs").rmSync(this.path, { force: true });
  }
}

/** There when a session has ended, until it begins again: whoever waits for its mail ends too. */
export const endMark = (home: string, session_id: string) => new SessionFile(home, session_id, ".ended");

/** Which process waits for the mail of a session of Codex. Not there for one that is not to be woken. */
export class WaiterMark extends SessionFile {
  constructor(home: string, session_id: string) {
    super(home, session_id, ".waiter");
  }

  set(pid: number): void {
    this.write(`${markOf(pid)}\n`);
  }

  get isThere(): boolean {
    const noted = this.read()?.trim();
    return noted !== undefined && isMarked(noted);
  }

  /** True if there was one, and it has ended. */
  get isOver(): boolean {
    return this.exists && !this.isThere;
  }
}

/**
 * Before which programs the person may sit who last spoke in a conversation of Codex. Its hooks run in a daemon, which
 * knows nothing of terminals that were closed: for a minute it goes on as if somebody were there. So whoever wants to
 * begin a turn looks whether all those are still there that work in the same folder. If one is not it may have been this one's.
 */
export class CodexTerminals extends SessionFile {
  readonly #home: string;
  readonly #session_id: string;

  constructor(home: string, session_id: string) {
    super(home, session_id, ".terminals");
    this.#home = home;
    this.#session_id = session_id;
  }

  /** To be called by a hook when a person has spoken. Gives the session that they spoke in before at the same terminal. */
  note(): string | undefined {
    const parent = wordsOf(process.ppid);
    const isDaemon = parent.includes("app-server") && parent.some((word) => word.startsWith("unix://"));
    const pids = isDaemon ? inThisFolder(atTerminals("codex")) : [process.ppid];
    const terminals = pids.map(markOf);
    this.write(terminals.map((terminal) => `${terminal}\n`).join(""));
    const [only, ...others] = terminals;
    // Of several nobody knows which one it is.
    return only === undefined || others.length > 0 ? undefined : this.#sitDown(only);
  }

  #sitDown(terminal: string): string | undefined {
    const file = new SessionFile(this.#home, terminal, ".conversation");
    const before = file.read();
    if (before !== this.#session_id) file.write(this.#session_id);
    return before === this.#session_id ? undefined : before;
  }

  get areThere(): boolean {
    const noted = (this.read() ?? "").split("\n").filter(Boolean);
    return noted.length > 0 && noted.every(isMarked);
  }
}

/** All of them where none is, as of a session that was told to work elsewhere. */
function inThisFolder(pids: readonly number[]): readonly number[] {
  const here = pids.filter((pid) => folderOf(pid) === process.cwd());
  return here.length > 0 ? here : pids;
}
