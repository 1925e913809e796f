import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "runs tail",
    summary: "follow what a run prints",
    load: async () => (await import("./tail.ts")).tail,
  },
];
