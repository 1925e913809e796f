import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("queue list", "list what waits for the hub", () => import("./queue.ts"), "list"),
  entry("queue drain", "send what waits now", () => import("./queue.ts"), "drain"),
  entry("queue clear", "throw away what waits", () => import("./queue.ts"), "clear"),
  entry("queue stats", "count what waits", () => import("./queue.ts"), "stats"),
];
