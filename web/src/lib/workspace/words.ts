import type { PlanStatus } from "./types.ts";

export const STATUS_WORDS = {
  todo: "To do",
  in_progress: "In progress",
  completed: "Done",
  blocked: "Blocked",
} as const satisfies Record<PlanStatus, string>;

export const STATUS_TONES = {
  todo: "plain",
  in_progress: "working",
  completed: "chosen",
  blocked: "waiting",
} as const satisfies Record<PlanStatus, string>;
