import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a program of this name may be. */
export const placesOf = (name: string, path: string): string[] =>
  name.includes("/") ? [name] : path.split(delimiter).map((folder) => join(folder, name));

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: either way not to be started.
    return false;
  }
}
