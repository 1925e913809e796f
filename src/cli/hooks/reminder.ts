/**
 * When a session was last told of its mail. Each prompt that named the same unread mail again would only teach the model
 * not to look: so it is named when something is new, and otherwise not sooner than this.
 */
const QUIET_MS = 30 * 60_000;

export class Reminder {
  readonly #folder: string;
  readonly #path: string;

  constructor(home: string, session_id: string) {
    const { hash } = process.getBuiltinModule("node:crypto");
    this.#folder = `${home}/hooks`;
    this.#path = `${this.#folder}/${hash("sha256", session_id, "hex")}.told`;
  }

  get due(): boolean {
    const told = process.getBuiltinModule("node:fs").statSync(this.#path, { throwIfNoEntry: false });
    // A clock that was set back must not silence it.
    return told === undefined || Math.abs(Date.now() - told.mtimeMs) >= QUIET_MS;
  }

  /** The time of the file is what counts. */
  note(): void {
    const { mkdirSync, writeFileSync } = process.getBuiltinModule("node:fs");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path, "told\n", { mode: 0o600 });
  }
}
