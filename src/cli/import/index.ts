import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "import atlas",
    summary: "take over the queue and the triggers of Atlas",
    load: async () => (await import("./atlas.ts")).atlas,
  },
];
