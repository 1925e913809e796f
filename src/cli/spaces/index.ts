import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("space open", "read the archive of a space that has ended", () => import("./open.ts"), "spaceOpen"),
];
