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

const LIFECYCLES: Record<Exclude<Agent["lifecycle"], "ready">, Mood> = {
  starting: { kind: "working", words: "Starting" },
  stopped: { kind: "away", words: "Stopped" },
  failed: { kind: "failed", words: "Failed" },
};

/** What an agent says of itself, in a word or two. */
export const moodOf = ({ lifecycle, run_phase }: Pick<Agent, "lifecycle" | "run_phase">): Mood =>
  (lifecycle === "ready" ? PHASES[run_phase] : LIFECYCLES[lifecycle]) ?? { kind: "away", words: "Unknown" };
