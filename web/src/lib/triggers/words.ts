import { whenWords } from "#lib/time.ts";
import { scheduleWords } from "./schedule-words.ts";
import type { Run, Trigger } from "./types.ts";

export const TYPE_WORDS: Record<Trigger["type"], string> = {
  cron: "Schedule",
  webhook: "Webhook",
  manual: "By hand",
};

/** What makes it fire. */
export function firesWords({ type, schedule, timezone }: Pick<Trigger, "type" | "schedule" | "timezone">): string {
  if (type === "webhook") return "When something is posted to its address";
  if (type === "manual") return "Only when somebody runs it";
  return `${scheduleWords(schedule ?? "") ?? schedule ?? ""}, ${timezone}`;
}

export function nextWords({ enabled, next_run }: Pick<Trigger, "enabled" | "next_run">, now: number): string {
  if (!enabled) return "Off";
  return next_run === null ? "" : `Next ${whenWords(next_run, now)}`;
}

type Tone = "plain" | "working" | "waiting" | "failed" | "chosen";
export const RUN_STATES: Record<Run["state"], { words: string; tone: Tone }> = {
  pending: { words: "Waiting", tone: "plain" },
  running: { words: "Running", tone: "working" },
  done: { words: "Done", tone: "chosen" },
  failed: { words: "Failed", tone: "failed" },
  cancelled: { words: "Cancelled", tone: "plain" },
  skipped: { words: "Skipped", tone: "waiting" },
};

/** The hub writes where the secret goes; who is shown one gets a line that works as it stands. */
export const withSecret = (hint: string, secret: string | undefined): string =>
  secret === undefined ? hint : hint.replace("<secret>", secret.replaceAll("'", "'\\''"));
