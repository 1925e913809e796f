import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "why",
    summary: "see what led to something",
    load: async () => (await import("./why.ts")).why,
  },
];
