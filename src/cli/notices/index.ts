import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("notice settle", "answer a notice", () => import("./notice.ts"), "settle"),
];
