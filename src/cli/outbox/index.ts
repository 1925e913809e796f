import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "queue list",
    summary: "list what waits for the hub",
    load: async () => (await import("./queue.ts")).list,
  },
  {
    name: "queue drain",
    summary: "send what waits now",
    load: async () => (await import("./queue.ts")).drain,
  },
  {
    name: "queue clear",
    summary: "throw away what waits",
    load: async () => (await import("./queue.ts")).clear,
  },
  {
    name: "queue stats",
    summary: "count what waits",
    load: async () => (await import("./queue.ts")).stats,
  },
];
