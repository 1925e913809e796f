import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [entry("why", "see what led to something", () => import("./why.ts"), "why")];
