/** When a client last called a hook of ours: that it reads its settings, and trusts what is in them, shows in nothing else. */
import { replaceFile } from "../../local/files.ts";
import type { HookClient } from "./events.ts";

const pathOf = (home: string, client: HookClient): string => `${home}/hooks/ran-${client}`;

/** The time of the file is what counts. */
export function noteRan(home: string, client: HookClient): void {
  // Where there is no data folder there is no hub either, and a hook makes neither.
  if (process.getBuiltinModule("node:fs").existsSync(home)) replaceFile(pathOf(home, client), "ran\n");
}

export const lastRan = (home: string, client: HookClient): Date | undefined =>
  process.getBuiltinModule("node:fs").statSync(pathOf(home, client), { throwIfNoEntry: false })?.mtime;
