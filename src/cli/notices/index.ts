import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "needs",
    summary: "see what waits for you",
    load: async () => (await import("./needs.ts")).list,
  },
  {
    name: "later",
    summary: "put off something that waits for you",
    load: async () => (await import("./needs.ts")).later,
  },
  {
    name: "notices",
    summary: "see what people were told and asked",
    load: async () => (await import("./notice.ts")).list,
  },
  {
    name: "notice settle",
    summary: "answer a notice",
    load: async () => (await import("./notice.ts")).settle,
  },
];
