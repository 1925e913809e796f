import { commonEntry, type Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry("demo", "start a small agent that answers in the chat", () => import("./demo.ts"), "demo"),
];
