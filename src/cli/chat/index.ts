import { commonEntry, type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry("chat send", "say something to an agent", () => import("./chat.ts"), "send"),
  entry("chat read", "read what was said", () => import("./chat.ts"), "read"),
  commonEntry("chat tail", "follow a chat as it goes on", () => import("./tail.ts"), "tail"),
];
