/**
 * How often in a row a session was kept from stopping. The client ends a turn by force after eight times, and a model
 * that cannot stop burns money: so we count ourselves, and let it stop before.
 */
const MOST = 8;

export class Continuations {
  readonly #folder: string;
  readonly #path: string;
  readonly #most: number;

  constructor(home: string, session_id: string) {
    const { hash } = process.getBuiltinModule("node:crypto");
    this.#folder = `${home}/hooks`;
    this.#path = `${this.#folder}/${hash("sha256", session_id, "hex")}`;
    // Claude Code's own setting; zero means that it has no limit, which is none for us.
    const cap = Number(process.env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP);
    this.#most = Number.isInteger(cap) && cap > 0 ? Math.min(cap, MOST) : MOST;
  }

  /** The turn ended by itself, or a person spoke. */
  reset(): void {
    process.getBuiltinModule("node:fs").rmSync(this.#path, { force: true });
  }

  get spent(): boolean {
    return this.#count() >= this.#most;
  }

  /** Before the model is told to go on: should this not be written, it is not told. */
  add(): void {
    const { mkdirSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule("node:fs");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.${process.pid}`;
    rmSync(temporary, { force: true });
    writeFileSync(temporary, `${this.#count() + 1}\n`, { flag: "wx", mode: 0o600 });
    renameSync(temporary, this.#path);
  }

  #count(): number {
    const { readFileSync } = process.getBuiltinModule("node:fs");
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
      throw error;
    }
    // Whatever else stands there was not written by us: then it is as if the limit were reached.
    return /^\d{1,3}\n$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  }
}
