/**
 * Small files by which processes of this machine tell each other things: their user's alone, replaced whole, never seen
 * half written. By `getBuiltinModule`, since a hook loads this, too.
 */
const fs = process.getBuiltinModule("node:fs");
const { dirname } = process.getBuiltinModule("node:path");

/** What the system calls the failure; empty for what is none of its. */
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Of a process that has ended, too. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR", "ESRCH"].includes(codeOf(error));

/** Undefined where what it looks at is not there. */
export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const readIfThere = (path: string): string | undefined => ifThere(() => fs.readFileSync(path, "utf8"));

/** For names of files, too. */
export const sha256 = (text: string): string => process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");

interface Writing {
  /** On disk before it has its name: a power cut leaves the old one or the new one, and no empty one. */
  flush?: boolean;
}

/** Puts it in the place of what is there. A link in that place is replaced, not followed. */
export function replaceFile(path: string, text: string, { flush = false }: Writing = {}): void {
  const temporary = `${path}.${process.pid}`;
  makeFolder(dirname(path));
  // What is there already, a link or a file that others may read, would keep its place and its rights.
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, text, { flag: "wx", mode: 0o600, flush });
  fs.renameSync(temporary, path);
}

/** Whether it was made: what somebody else has just made stays. */
export function createFile(path: string, text: string, { flush = false }: Writing = {}): boolean {
  try {
    fs.writeFileSync(path, text, { flag: "wx", mode: 0o600, flush });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Step by step: Node's own `recursive` never returns where a folder exists but nothing can be made in it, as in /proc. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Unless somebody else was faster.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
