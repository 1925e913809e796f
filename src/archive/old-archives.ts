import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../local/files.ts";
import { ARCHIVE_ENDING } from "./format.ts";

/** What a node left half written when it died is nobody's after so long. */
const HALF_WRITTEN_MS = 24 * 3600 * 1000;

/** Removes archives that were written before that time, and what was never finished. */
export async function removeOldArchives(
  folder: string,
  { before_ms, now }: { before_ms: number; now: number },
): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const name of names) {
    const path = join(folder, name);
    const kept_from = name.endsWith(".tmp") ? now - HALF_WRITTEN_MS : before_ms;
    if (!name.endsWith(".tmp") && !name.endsWith(ARCHIVE_ENDING)) continue;
    if ((await stat(path)).mtimeMs < kept_from) await rm(path, { force: true });
  }
}
