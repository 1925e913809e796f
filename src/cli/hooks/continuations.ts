/**
 * How often in a row a session was kept from stopping. The client ends a turn by force after eight times, and a model
 * that cannot stop burns money: so we count ourselves, and let it stop before.
 */
import { SessionFile } from "./session-files.ts";

const MOST = 8;

export class Continuations extends SessionFile {
  readonly #most: number;

  constructor(home: string, session_id: string) {
    super(home, session_id, "");
    // Claude Code's own setting; zero means that it has no limit, which is none for us.
    const cap = Number(process.env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP);
    this.#most = Number.isInteger(cap) && cap > 0 ? Math.min(cap, MOST) : MOST;
  }

  /** Whether it may be kept once more; `kept` as its client says. One that does not say is taken to be kept already. */
  allow(kept: boolean | undefined): boolean {
    // The turn ended by itself, or a person spoke.
    if (kept === false) this.remove();
    return this.#count() < this.#most;
  }

  /** Before the model is told to go on: should this not be written, it is not told. */
  add(): void {
    this.write(`${this.#count() + 1}\n`);
  }

  #count(): number {
    const text = this.read();
    if (text === undefined) return 0;
    // Whatever else stands there was not written by us: then it is as if the limit were reached.
    return /^\d{1,3}\n$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  }
}
