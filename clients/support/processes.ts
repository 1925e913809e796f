/** Programs that clients leave running, found by their command lines. */
import { globSync, readFileSync, statSync } from "node:fs";

export interface Running {
  pid: number;
  command: string;
  age_ms: number;
}

/** Those whose command line holds all of these words. */
export function running(...words: readonly string[]): Running[] {
  return globSync("/proc/[0-9]*/cmdline")
    .flatMap((path) => {
      const found = look(path);
      return found ? [found] : [];
    })
    .filter(({ command }) => words.every((word) => command.includes(word)));
}

/** Undefined for one that ended meanwhile. */
function look(path: string): Running | undefined {
  try {
    const command = readFileSync(path, "utf8").replaceAll("\0", " ");
    return { pid: Number(path.split("/")[2]), command, age_ms: Date.now() - statSync(path).ctimeMs };
  } catch {
    return undefined;
  }
}
