/**
 * A settings file of a client, replaced whole or not at all. Whoever else changed it in the meantime wins: then nothing
 * is written. A link stays a link; what it leads to is changed only if that lies in the person's own home.
 */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, sep } from "node:path";
import { codeOf, ifThere } from "../../local/files.ts";
import { Failure, reasonOf } from "../core/failure.ts";

export interface SettingsFile {
  path: string;
  /** What `path` leads to. */
  target: string;
  /** Undefined when there is none. */
  bytes: Buffer | undefined;
  text: string;
  mode: number;
}

const NEW_MODE = 0o644;

export function readSettings(path: string): SettingsFile {
  try {
    return read(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refused(path, `cannot be read (${reasonOf(error)})`, error);
  }
}

function read(path: string): SettingsFile {
  const target = targetOf(path);
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat) return { path, target, bytes: undefined, text: "", mode: NEW_MODE };
  if (!stat.isFile()) throw refused(path, "is not a file");
  const bytes = readFileSync(target);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // What does not come back as the same bytes is no UTF-8, and would not survive.
  if (!Buffer.from(text).equals(bytes)) throw refused(path, "is not UTF-8 text");
  return { path, target, bytes, text, mode: stat.mode & 0o7777 };
}

/** Throws a `Failure` that says why, with everything as it was. */
export function checkWritable({ path, target }: SettingsFile): void {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat) return;
  // Renaming over it would work all the same. But whoever took away the right to write did not mean it to.
  if ((stat.mode & 0o222) === 0) throw refused(path, "is read-only");
  if (stat.uid !== process.geteuid?.()) throw refused(path, "belongs to another user");
}

export function replaceSettings(file: SettingsFile, text: string): void {
  checkWritable(file);
  const temporary = `${file.target}.parley-${process.pid}`;
  try {
    mkdirSync(dirname(file.target), { recursive: true });
    write(temporary, text, file.mode);
    if (!isStill(file)) throw changedMeanwhile(file.path);
    if (file.bytes) renameSync(temporary, file.target);
    else linkNew(temporary, file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refused(file.path, `cannot be written (${reasonOf(error)})`, error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The file that only we had made. */
export function removeSettings(file: SettingsFile): void {
  checkWritable(file);
  if (!isStill(file)) throw changedMeanwhile(file.path);
  rmSync(file.target);
}

/** Beside it, and never over something that is there. Gives its path. */
export function backUp(file: SettingsFile, text: string): string {
  for (let number = 1; ; number += 1) {
    const path = `${file.target}.parley-backup${number === 1 ? "" : `-${number}`}`;
    try {
      write(path, text, file.mode);
      return path;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw refused(path, `cannot be written (${reasonOf(error)})`, error);
    }
  }
}

const write = (path: string, text: string, mode: number): void =>
  writeFileSync(path, text, { flag: "wx", mode, flush: true });

/** Unlike a rename this fails where somebody was faster. */
function linkNew(temporary: string, file: SettingsFile): void {
  try {
    linkSync(temporary, file.target);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw changedMeanwhile(file.path, error);
    throw error;
  }
}

function isStill({ target, bytes }: SettingsFile): boolean {
  const now = ifThere(() => readFileSync(target));
  return now && bytes ? bytes.equals(now) : now === bytes;
}

function targetOf(path: string): string {
  const target = real(path);
  if (target === undefined) {
    if (lstatSync(path, { throwIfNoEntry: false })) throw refused(path, "is a link that leads nowhere");
    // The folder may be a link, too.
    const folder = real(dirname(path));
    return folder === undefined ? path : inside(path, `${folder}${path.slice(dirname(path).length)}`);
  }
  return inside(path, target);
}

function inside(path: string, target: string): string {
  const home = real(homedir());
  if (target === path || (home !== undefined && target.startsWith(home + sep))) return target;
  throw refused(
    path,
    `leads to ${target}, outside of your home. Change that file yourself, or put a file in its place`,
  );
}

const real = (path: string): string | undefined => ifThere(() => realpathSync(path));

const refused = (path: string, why: string, cause?: unknown): Failure =>
  new Failure("FORBIDDEN", `${path} ${why}. Nothing was changed.`, { cause });

const changedMeanwhile = (path: string, cause?: unknown): Failure =>
  new Failure("CONFLICT", `${path} was changed by somebody else just now. Nothing was written: run it again.`, {
    cause,
  });
