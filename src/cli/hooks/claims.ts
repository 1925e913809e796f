/**
 * Which process of a client has which session. A hook believes what its client says on stdin, so whoever else feeds it
 * another session's id must not get that session's mail: a session that a living client has is spoken for by that
 * process alone, whose children hooks are.
 */
import { Failure } from "../core/failure.ts";

/** Where nobody tells when a process began, its number has to do. */
const startOf = (pid: number): string | undefined => {
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    // Gone, if there is a /proc at all.
    return existsSync("/proc/self/stat") || !isThere(pid) ? undefined : "";
  }
};

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or another user's: not the client that runs us.
    return false;
  }
}

export class Claims {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = `${home}/hooks/clients`;
  }

  /** For the client that runs us. Throws a `Failure` where the session is another process's. */
  take(session_id: string): void {
    const mine = `${process.ppid} ${startOf(process.ppid) ?? ""}`;
    const path = this.#path(session_id);
    const holder = read(path);
    if (holder !== mine && holder !== undefined && isHeld(holder))
      throw new Failure(
        "FORBIDDEN",
        `the session ${session_id.slice(0, 12)} is that of process ${holder.split(" ")[0]}, and this is no hook of it.`,
      );
    if (holder !== mine) this.#write(path, mine);
    if (read(this.#path(mine)) !== session_id) this.#write(this.#path(mine), session_id);
  }

  /** The session of the client that runs us; undefined while no hook has named it. */
  own(): string | undefined {
    return read(this.#path(`${process.ppid} ${startOf(process.ppid) ?? ""}`));
  }

  #write(path: string, text: string): void {
    const { mkdirSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.${process.pid}`, text, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  }

  #path(what: string): string {
    return `${this.#folder}/${process.getBuiltinModule("node:crypto").hash("sha256", what, "hex")}`;
  }
}

function isHeld(holder: string): boolean {
  const [, pid, start] = /^(\d+) (.*)$/.exec(holder) ?? [];
  return pid !== undefined && startOf(Number(pid)) === start;
}

function read(path: string): string | undefined {
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
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
