/** When a client last called a hook of ours: that it reads its settings, and trusts what is in them, shows in nothing else. */
import type { HookClient } from "./events.ts";

const pathOf = (home: string, client: HookClient): string => `${home}/hooks/ran-${client}`;

/** The time of the file is what counts. */
export function noteRan(home: string, client: HookClient): void {
  const { existsSync, mkdirSync, writeFileSync } = process.getBuiltinModule("node:fs");
  // Where there is no data folder there is no hub either, and a hook makes neither.
  if (!existsSync(home)) return;
  mkdirSync(`${home}/hooks`, { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(home, client), "ran\n", { mode: 0o600 });
}

export const lastRan = (home: string, client: HookClient): Date | undefined =>
  process.getBuiltinModule("node:fs").statSync(pathOf(home, client), { throwIfNoEntry: false })?.mtime;
