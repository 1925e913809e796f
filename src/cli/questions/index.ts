import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("ask", "ask the people something", () => import("./ask.ts"), "ask"),
  entry("answer", "answer a question, or see what is asked", () => import("./answer.ts"), "answer"),
];
