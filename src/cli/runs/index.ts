import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("runs tail", "follow what a run prints", () => import("./tail.ts"), "tail"),
];
