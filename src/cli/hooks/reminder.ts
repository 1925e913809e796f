/**
 * When a session was last told of its mail. Each prompt that named the same unread mail again would only teach the model
 * not to look: so it is named when something is new, and otherwise not sooner than this.
 */
const QUIET_MS = 30 * 60_000;
/** What no session has touched for so long is of one that will not come back. */
const KEPT_MS = 30 * 24 * 3_600_000;

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
    tidy(this.#folder);
  }
}

/** Two hooks may do so at once. */
function tidy(folder: string): void {
  const { readdirSync, rmSync, statSync } = process.getBuiltinModule("node:fs");
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && Date.now() - found.mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
