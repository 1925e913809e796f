import type { Agent } from "#lib/hub/types.ts";

export interface Mood {
  /** Never by colour alone: each has its shape and its words. */
  kind: "working" | "waiting" | "idle" | "away" | "failed";
  words: string;
}

const PHASES: Record<Agent["run_phase"], Mood> = {
  idle: { kind: "idle", words: "Ready" },
  sampling: { kind: "working", words: "Thinking" },
  tools_running: { kind: "working", words: "Working" },
  waiting_approval: { kind: "waiting", words: "Waiting for approval" },
  waiting_input: { kind: "waiting", words: "Waiting for you" },
};

const STARTING: Mood = { kind: "working", words: "Starting" };
const UNKNOWN: Mood = { kind: "away", words: "Unknown" };
const AWAY: Mood = { kind: "away", words: "Away" };
const ASKED_BEFORE: Mood = { kind: "waiting", words: "Away, waiting for you" };

/** What stays true of one that has gone. */
const ENDS: Partial<Record<Agent["lifecycle"], Mood>> = {
  stopped: { kind: "away", words: "Stopped" },
  failed: { kind: "failed", words: "Failed" },
};

const HOUR = 60;
const DAY = 24 * HOUR;

/** The same with for how long, where it is a person who is waited for. */
export function moodWords({ kind, words }: Mood, since: string | null | undefined, now: number): string {
  const minutes = since ? Math.floor((now - Date.parse(since)) / 60_000) : 0;
  if (kind !== "waiting" || minutes < 1) return words;
  if (minutes < HOUR) return `${words} ${minutes} min`;
  return minutes < 2 * DAY ? `${words} ${Math.floor(minutes / HOUR)} h` : `${words} ${Math.floor(minutes / DAY)} days`;
}

type Reported = Pick<Agent, "lifecycle" | "run_phase" | "presence" | "last_seen_at" | "asks">;

/** How an agent is, in a word or two, as far as that is known. */
export function moodOf({ lifecycle, run_phase, presence, last_seen_at, asks }: Reported, live = true): Mood {
  if (!live) return UNKNOWN;
  const end = ENDS[lifecycle];
  if (end) return end;
  // Only a token was made: nothing was heard of it yet.
  if (last_seen_at === null) return { kind: "away", words: "Not reporting" };
  // What it said of itself was before it went; what it asked people still waits for them.
  if (presence === "offline") return asks > 0 ? ASKED_BEFORE : AWAY;
  if (lifecycle === "starting") return STARTING;
  return lifecycle === "ready" ? (PHASES[run_phase] ?? UNKNOWN) : UNKNOWN;
}
