import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "schema",
    summary: "describe the command line as JSON",
    load: async () => (await import("./schema.ts")).schema,
  },
  {
    name: "completion",
    summary: "make your shell complete commands",
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "complete",
    summary: "say what may come next",
    load: async () => (await import("./complete.ts")).complete,
  },
  {
    name: "help",
    summary: "explain a command",
    load: async () => (await import("./help.ts")).help,
  },
];
