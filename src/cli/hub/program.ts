import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { ifThere } from "../../local/files.ts";
import { HUB_BUNDLE, HUB_STAMPS } from "../root.ts";

type Program = typeof import("../../program.ts");

/** The hub: bundled, where that was made of these very sources, and otherwise as it stands there. */
export const loadHub = async (): Promise<Program> =>
  isOfTheseSources() ? createRequire(HUB_BUNDLE)(HUB_BUNDLE) : import("../../program.ts");

/** `scripts/bundle.mjs` notes of each source what no change leaves as it was. A package has no bundle. */
function isOfTheseSources(): boolean {
  const stamps = readStamps();
  return stamps?.every(([path, ino, size, changed]) => isSame(path, [ino, size, changed])) ?? false;
}

function isSame(path: string, [ino, size, changed]: [number, number, number]): boolean {
  const now = statSync(dirname(HUB_STAMPS) + path, { throwIfNoEntry: false });
  return now !== undefined && now.ino === ino && now.size === size && now.ctimeMs === changed;
}

const readStamps = (): [string, number, number, number][] | undefined =>
  ifThere(() => JSON.parse(readFileSync(HUB_STAMPS, "utf8")));
