import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes what was printed by runs that were over before that time, with folders in which nothing is left. */
export async function removeOldLogs(folder: string, before_ms: number): Promise<void> {
  for (const space of await namesIn(folder)) {
    const own = join(folder, space);
    for (const name of await namesIn(own)) {
      const path = join(own, name);
      if ((await stat(path)).mtimeMs < before_ms) await rm(path, { force: true });
    }
    if ((await namesIn(own)).length === 0) await rmdir(own);
  }
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
