import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Hub } from "../hub.ts";
import { KEPT_DAYS } from "../modules/runs/index.ts";

const DAY_MS = 24 * 3600 * 1000;

/** What was printed is kept in files here for as long as the rows are. */
export async function forgetLogs({ config, log }: Pick<Hub, "config" | "log">): Promise<void> {
  const forgetting = removeOldLogs(join(config.home, "runs"), Date.now() - KEPT_DAYS * DAY_MS);
  await forgetting.catch((error: unknown) => log.warn("old output of runs could not be removed", { error }));
}

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
