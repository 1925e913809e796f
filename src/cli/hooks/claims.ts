/**
 * Which process of a client has which session. A hook believes what its client says on stdin, so whoever else feeds it
 * another session's id must not get that session's mail: a session that a living client has is spoken for by that
 * process alone, whose children hooks are.
 */
import { readIfThere, replaceFile, sha256 } from "../../local/files.ts";
import { isAlive, startOf } from "../../local/processes.ts";
import { Failure } from "../core/failure.ts";

export class Claims {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = `${home}/hooks/clients`;
  }

  /** For the client that runs us. Throws a `Failure` where the session is another process's. */
  take(session_id: string): void {
    const mine = `${process.ppid} ${startOf(process.ppid)}`;
    const path = this.#path(session_id);
    const holder = readIfThere(path);
    if (holder !== mine && holder !== undefined && isHeld(holder))
      throw new Failure(
        "FORBIDDEN",
        `the session ${session_id.slice(0, 12)} is that of process ${holder.split(" ")[0]}, and this hook was not called by it.`,
      );
    if (holder !== mine) replaceFile(path, mine);
    if (readIfThere(this.#path(mine)) !== session_id) replaceFile(this.#path(mine), session_id);
  }

  /** The session of the client that runs us; undefined while no hook has named it. */
  own(): string | undefined {
    return readIfThere(this.#path(`${process.ppid} ${startOf(process.ppid)}`));
  }

  #path(what: string): string {
    return `${this.#folder}/${sha256(what)}`;
  }
}

function isHeld(holder: string): boolean {
  const [, pid, start] = /^(\d+) (.*)$/.exec(holder) ?? [];
  return pid !== undefined && isAlive(Number(pid)) && startOf(Number(pid)) === start;
}

/** Throws where a hook of Claude Code is fed a session that is not the one around it. Codex says nothing to compare with. */
export function claimSession(home: string, session_id: string | undefined): void {
  const around = process.env.CLAUDE_CODE_SESSION_ID;
  if (session_id === undefined) return;
  if (around && around !== session_id)
    throw new Failure(
      "FORBIDDEN",
      `CLAUDE_CODE_SESSION_ID names another session than stdin does (${session_id.slice(0, 12)}).`,
    );
  // Without a data folder nobody's mail is here.
  if (process.getBuiltinModule("node:fs").existsSync(home)) new Claims(home).take(session_id);
}
