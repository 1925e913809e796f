import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "demo",
    summary: "start a small agent that answers in the chat",
    common: true,
    load: async () => (await import("./demo.ts")).demo,
  },
];
