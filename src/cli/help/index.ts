import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("schema", "describe the command line as JSON", () => import("./schema.ts"), "schema"),
  entry("completion", "make your shell complete commands", () => import("./completion.ts"), "completion"),
  entry("complete", "say what may come next", () => import("./complete.ts"), "complete"),
  entry("help", "explain a command", () => import("./help.ts"), "help"),
];
