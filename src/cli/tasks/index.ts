import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("task wait", "wait until a task has ended", () => import("./wait.ts"), "wait"),
  entry("task why", "see why a task is where it is, and what led to it", () => import("./why.ts"), "why"),
  entry("worker run", "work on tasks with a program, one after another", () => import("./worker.ts"), "run"),
];
