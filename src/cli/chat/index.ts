import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "chat send",
    summary: "say something to an agent",
    common: true,
    load: async () => (await import("./chat.ts")).send,
  },
  {
    name: "chat read",
    summary: "read what was said",
    load: async () => (await import("./chat.ts")).read,
  },
  {
    name: "chat tail",
    summary: "follow a chat as it goes on",
    common: true,
    load: async () => (await import("./tail.ts")).tail,
  },
];
