import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("import atlas", "take over the queue and the triggers of Atlas", () => import("./atlas.ts"), "atlas"),
];
