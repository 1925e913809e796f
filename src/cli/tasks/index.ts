import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "task wait",
    summary: "wait until a task has ended",
    load: async () => (await import("./wait.ts")).wait,
  },
  {
    name: "task why",
    summary: "see why a task is where it is, and what led to it",
    load: async () => (await import("./why.ts")).why,
  },
  {
    name: "worker run",
    summary: "work on tasks with a program, one after another",
    load: async () => (await import("./worker.ts")).run,
  },
];
