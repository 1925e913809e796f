/** Installing and taking back: what was there before is kept beside the file, and comes back byte for byte. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, replaceFile, sha256 } from "../../local/files.ts";
import { invalid } from "../core/failure.ts";
import { readJson } from "../core/io.ts";
import type { Wanted } from "./handlers.ts";
import {
  backUp,
  checkWritable,
  readSettings,
  removeSettings,
  replaceSettings,
  type SettingsFile,
} from "./settings-file.ts";
import { Unusable, withHooks, withoutHooks } from "./settings-text.ts";

/** What we did to a file, in the data folder. */
interface Record {
  target: string;
  /** Null: there was no file. */
  backup: string | null;
  before: string;
  after: string;
}

export interface Change {
  file: SettingsFile;
  before: string;
  after: string;
  /** Writes it. Gives the path of the copy of what was there, if there was something. */
  apply(): string | undefined;
}

export function planInstall(home: string, path: string, wanted: Wanted): Change {
  const file = readSettings(path);
  const after = usable(path, () => withHooks(file.text, wanted));
  if (after !== file.text) checkWritable(file);
  return { file, before: file.text, after, apply: () => install(home, file, after) };
}

function install(home: string, file: SettingsFile, after: string): string | undefined {
  const known = recordOf(home, file);
  // Ours was the last change: what was before that is what is to come back one day.
  if (known && sha256(file.text) === known.after) {
    replaceSettings(file, after);
    save(home, { ...known, after: sha256(after) });
    return known.backup ?? undefined;
  }
  const original = withoutHooks(file.text, beforeUs(known));
  const backup = file.bytes ? backUp(file, original) : null;
  try {
    replaceSettings(file, after);
  } catch (error) {
    if (backup !== null) rmSync(backup, { force: true });
    throw error;
  }
  save(home, { target: file.target, backup, before: sha256(original), after: sha256(after) });
  return backup ?? undefined;
}

export function planUninstall(home: string, path: string): Change {
  const file = readSettings(path);
  const known = recordOf(home, file);
  const bare = usable(path, () => withoutHooks(file.text, beforeUs(known)));
  if (bare === file.text) return { file, before: file.text, after: file.text, apply: () => undefined };
  checkWritable(file);
  const original = known && sha256(file.text) === known.after ? originalOf(known) : undefined;
  return {
    file,
    before: file.text,
    after: original ?? bare,
    apply: () => uninstall(home, file, { known, original, bare }),
  };
}

/** Undefined where the copy is gone or is not what it was. */
function originalOf({ backup, before }: Record): string | undefined {
  if (backup === null) return "";
  const text = readIfThere(backup);
  return text !== undefined && sha256(text) === before ? text : undefined;
}

/** What the person had, as far as it is known, even where it cannot come back as a whole. */
const beforeUs = (known: Record | undefined): string | undefined => known && originalOf(known);

function uninstall(
  home: string,
  file: SettingsFile,
  { known, original, bare }: { known: Record | undefined; original: string | undefined; bare: string },
): string | undefined {
  const whole = known !== undefined && original !== undefined;
  if (whole && known.backup === null) removeSettings(file);
  else replaceSettings(file, original ?? bare);
  if (known) rmSync(recordPath(home, file), { force: true });
  if (!whole) return known?.backup ?? undefined;
  if (known.backup !== null) rmSync(known.backup, { force: true });
  return undefined;
}

function usable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Unusable)) throw cause;
    throw invalid(`${path} cannot be changed: ${cause.message}. Nothing was changed.`, { cause });
  }
}

const recordPath = (home: string, { target }: { target: string }): string =>
  join(home, "hooks", `installed-${sha256(target)}.json`);

function recordOf(home: string, file: SettingsFile): Record | undefined {
  // Half of one says nothing; then only what is ours is taken away.
  const { target, backup, before, after } = Object(readJson(recordPath(home, file)));
  const whole = [target, before, after].every((each) => typeof each === "string") && target === file.target;
  return whole && (backup === null || typeof backup === "string") ? { target, backup, before, after } : undefined;
}

function save(home: string, record: Record): void {
  replaceFile(recordPath(home, record), `${JSON.stringify(record)}\n`);
}
