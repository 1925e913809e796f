import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("draft export", "print the whole draft as a document", () => import("./export.ts"), "exportDraft"),
  entry("plan add", "add tasks to the plan", () => import("./plan.ts"), "add"),
  entry("plan list", "show the plan as a checklist", () => import("./plan.ts"), "list"),
];
