/**
 * When a session was last told of its mail, and of which. Each prompt that named the same unread mail again would only
 * teach the model not to look: so it is named when something is new, and otherwise not sooner than this.
 */
import type { Polled } from "../../modules/mail/index.ts";
import { SessionFile } from "./session-files.ts";

const QUIET_MS = 30 * 60_000;
/** What no session has touched for so long is of one that will not come back. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Before every position there is. */
const FIRST = 1;

export class Reminder extends SessionFile {
  constructor(home: string, session_id: string) {
    super(home, session_id, ".told");
  }

  get due(): boolean {
    const file = process.getBuiltinModule("node:fs").statSync(this.path, { throwIfNoEntry: false });
    // A clock that was set back must not silence it.
    return file === undefined || Math.abs(Date.now() - file.mtimeMs) >= QUIET_MS;
  }

  /**
   * Where the newest mail stands that it was told of. What stands before and had no room waits for the next prompt: only
   * what stands behind is a reason to begin a turn, or to go on with one.
   */
  get position(): string {
    const text = this.read() ?? "";
    return /^\d{1,16}\n$/.test(text) ? text.trim() : `${FIRST}`;
  }

  /** Whether there is any that it was not told of. */
  isBehind(messages: Polled["messages"]): boolean {
    return newestOf(messages) > Number(this.position);
  }

  /** The time of the file counts too. */
  note(messages: Polled["messages"]): void {
    this.write(`${Math.max(Number(this.position), newestOf(messages))}\n`);
    tidy(this.folder);
    tidy(`${this.folder}/clients`);
  }
}

const newestOf = (messages: Polled["messages"]): number =>
  Math.max(FIRST, ...messages.map(({ position }) => Number(position)));

/** Two hooks may do so at once. */
function tidy(folder: string): void {
  const { existsSync, readdirSync, rmSync, statSync } = process.getBuiltinModule("node:fs");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    // What uninstall needs, however long after.
    if (name.startsWith("installed-")) continue;
    const path = `${folder}/${name}`;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && Date.now() - found.mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
