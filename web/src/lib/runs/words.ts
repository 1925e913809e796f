import { took, whenWords } from "#lib/time.ts";
import type { Run } from "./types.ts";

type Tone = "plain" | "working" | "waiting" | "failed" | "chosen";
export const STATES: Record<Run["state"], { words: string; tone: Tone }> = {
  queued: { words: "Waiting", tone: "waiting" },
  claimed: { words: "Starting", tone: "working" },
  running: { words: "Running", tone: "working" },
  done: { words: "Done", tone: "chosen" },
  failed: { words: "Failed", tone: "failed" },
  stopped: { words: "Stopped", tone: "plain" },
  skipped: { words: "Skipped", tone: "plain" },
};

const KINDS: Record<Run["kind"], string> = { trigger: "trigger", worker: "waiting tasks, by", mail: "mail to" };
export const forWords = ({ kind, name }: Pick<Run, "kind" | "name">): string => `For ${KINDS[kind]} ${name}`;

const WHAT: Record<Run["kind"], string> = { trigger: "Trigger", worker: "Worker", mail: "Agent" };
export const whatWords = ({ kind, name }: Pick<Run, "kind" | "name">): string => `${WHAT[kind]} ${name}`;

const WAITS: Record<NonNullable<Run["waits_for"]>, string> = {
  turn: "Another run of the same session goes first",
  backoff: "Tried again",
  quota: "A quota was met",
  budget: "A budget is used up for today",
  pause: "Nothing is started while this space is paused",
  program: "There is no program for it in runner.json",
  room: "Others run: as many as there may be at a time",
  approval: "It waits for an approval",
};

/** Why it has not begun, and when it may. */
export function waitWords({ waits_for, not_before }: Pick<Run, "waits_for" | "not_before">, now: number): string {
  if (waits_for === null) return "About to begin";
  const from = waits_for === "backoff" ? " " : ": until ";
  const timed = not_before !== null && Date.parse(not_before) > now && waits_for !== "pause" && waits_for !== "turn";
  return `${WAITS[waits_for]}${timed ? `${from}${whenWords(not_before, now)}` : ""}`;
}

type Asked = Pick<Run, "state" | "waits_for" | "not_before" | "error">;

/** What there is to say of it beside its state: what went wrong, and what it waits for. */
export function noteOf(run: Asked, now: number): string {
  const { state, error } = run;
  return [error, state === "queued" ? `${waitWords(run, now)}.` : null].filter((part) => part !== null).join(" ");
}

/** How long it ran, or has run until now; empty for what has not begun. */
export function tookWords({ started_at, ended_at }: Pick<Run, "started_at" | "ended_at">, now: number): string {
  return started_at === null ? "" : took(started_at, ended_at ?? new Date(now).toISOString());
}

const UNITS = ["bytes", "kB", "MB", "GB"];

/** How much was printed: 812 bytes, 64 kB, 300 MB. */
export function sizeWords(bytes: number): string {
  const unit = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Math.round(bytes / 1000 ** unit)} ${UNITS[unit]}`;
}

const LIVE: readonly Run["state"][] = ["queued", "claimed", "running"];
export const isLive = ({ state }: Pick<Run, "state">): boolean => LIVE.includes(state);
