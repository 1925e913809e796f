/** What to type for this program. */
import { LAUNCHER } from "../root.ts";

const NAME = "parley";

let known: string | undefined;

/** What runs this program when it is typed: its name where the PATH leads here, else its path. */
export function programName(): string {
  known ??= isOnPath(process.env.PATH ?? "") ? NAME : quoted(LAUNCHER);
  return known;
}

/** Whether `parley` alone, found on this PATH, is this very program and not another one. */
export function isOnPath(path: string): boolean {
  return realPath(onPath(path)) === realPath(LAUNCHER);
}

/** Where a program of this name may be. */
export const candidates = (name: string, path: string): string[] => {
  const { delimiter, join } = process.getBuiltinModule("node:path");
  return name.includes("/") ? [name] : path.split(delimiter).map((folder) => join(folder, name));
};

/** The first `parley` on a PATH, which is the one that a shell would run. */
export function onPath(path: string): string | undefined {
  // An empty part is the folder one stands in, which is another one tomorrow.
  return candidates(NAME, path).find((file) => file.startsWith("/") && isExecutable(file));
}

/** One word for a shell. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export function isExecutable(file: string): boolean {
  const { accessSync, constants, statSync } = process.getBuiltinModule("node:fs");
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Missing, or not for us: a shell goes on looking, too.
    return false;
  }
}

function realPath(file: string | undefined): string | undefined {
  try {
    return file && process.getBuiltinModule("node:fs").realpathSync(file);
  } catch {
    // It is gone since it was found.
    return undefined;
  }
}
