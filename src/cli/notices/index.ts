import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "notice settle",
    summary: "answer a notice",
    load: async () => (await import("./notice.ts")).settle,
  },
];
