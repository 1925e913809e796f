import { decisionWords } from "#lib/needs/decision-words.ts";
import { costWords } from "$cost";
import type { Doing } from "./doings.svelte.ts";

type Call = Extract<Doing, { kind: "Tool" }>;
type End = Extract<Doing, { kind: "EndTurn" }>;
type Tone = "plain" | "working" | "waiting" | "failed" | "chosen";

const CALLS: Record<NonNullable<Call["outcome"]>, { words: string; tone: Tone }> = {
  done: { words: "Done", tone: "plain" },
  failed: { words: "Failed", tone: "failed" },
  aborted: { words: "Stopped", tone: "plain" },
  interrupted: { words: "Outcome unknown", tone: "waiting" },
  denied: { words: "Refused", tone: "failed" },
};
const RUNNING: { words: string; tone: Tone } = { words: "Running", tone: "working" };

const WAITING: { words: string; tone: Tone } = { words: "Waits for approval", tone: "waiting" };

export function callState({ outcome, approval }: Call): { words: string; tone: Tone } {
  if (approval?.state === "pending" && outcome === null) return WAITING;
  return outcome === null ? RUNNING : CALLS[outcome];
}

/** Why it was not run, which is told on its row: what people or the policy said, else what the model was told. */
export function refusalWords({ outcome, approval, output }: Call): string | undefined {
  if (outcome !== "denied") return undefined;
  return approval ? decisionWords(approval) : cut(output ?? "");
}

type Asked = Extract<Doing, { kind: "Question" }>;
type Made = Extract<Doing, { kind: "Task" }>;

const QUESTIONS: Record<Asked["state"], { words: string; tone: Tone }> = {
  open: { words: "Waits for an answer", tone: "waiting" },
  answered: { words: "Answered", tone: "plain" },
  no_response: { words: "Nobody answered", tone: "failed" },
  withdrawn: { words: "Taken back", tone: "plain" },
  dismissed: { words: "Dismissed", tone: "plain" },
};
export const questionState = ({ state }: Asked): { words: string; tone: Tone } => QUESTIONS[state];

const TASKS: Record<NonNullable<Made["outcome"]>, { words: string; tone: Tone }> = {
  done: { words: "Done", tone: "plain" },
  cancelled: { words: "Cancelled", tone: "plain" },
  dead: { words: "Given up", tone: "failed" },
};
export const taskState = ({ outcome }: Made): { words: string; tone: Tone } =>
  outcome === null ? { words: "To be done", tone: "working" } : TASKS[outcome];

const ENDS: Record<NonNullable<End["outcome"]>, string> = {
  finished: "Turn over",
  failed: "Turn failed",
  aborted: "Turn stopped",
  interrupted: "Turn interrupted",
};

/** `Turn over, 3.2 s, 1,204 tokens, $0.01` */
export function endWords({ outcome, duration_ms, input_tokens, output_tokens, cost_usd }: End): string {
  const tokens = (input_tokens ?? 0) + (output_tokens ?? 0);
  const parts = [
    outcome === null ? "Turn ending" : ENDS[outcome],
    duration_ms === null ? undefined : tookWords(duration_ms),
    tokens === 0 ? undefined : `${tokens.toLocaleString("en")} tokens`,
    cost_usd ? costWords(cost_usd) : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** For how long it was run: what a person took to decide is no part of that. */
export function ranWords({ duration_ms, waited_ms, outcome }: Call): string {
  if (duration_ms === null) return "";
  if (waited_ms === null) return tookWords(duration_ms);
  return outcome === "done" || outcome === "failed" ? tookWords(duration_ms - waited_ms) : "";
}

/** `It waited 10 min 3 s.` */
export const waitedWords = ({ waited_ms }: Call): string =>
  waited_ms === null ? "" : ` It waited ${tookWords(waited_ms)}.`;

export function tookWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const MOST_SHORT = 120;

/** What it is about, in a line: the command it runs, or the first of its arguments that says something. */
export function shortArguments({ arguments: text }: Call): string {
  const given = parsed(text);
  if (given === undefined) return cut(text);
  const { argv, cmd, ...others } = given;
  const command = [argv, cmd].find(Array.isArray);
  if (command) return cut(command.join(" "));
  const saying = Object.entries({ ...others, ...(typeof cmd === "string" && { cmd }) }).filter(([, value]) =>
    isSaying(value),
  );
  const [first] = saying;
  // A number says little without its name, and without those beside it.
  if (typeof first?.[1] === "number") return cut(saying.map(([name, value]) => `${name}: ${value}`).join(", "));
  return first === undefined ? "" : cut(String(first[1]));
}

/** As it is read best: indented, where it is whole. */
export function readable(text: string): string {
  const given = parsed(text);
  return given === undefined ? text : JSON.stringify(given, null, 2);
}

/** The id of something, which says nothing to whoever reads it. */
const ID = /^\d{16}$/;
const isSaying = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && !ID.test(value));
const cut = (text: string): string =>
  text.length > MOST_SHORT ? `${[...text].slice(0, MOST_SHORT).join("")} …` : text;

/** Undefined for what is cut off, or was no JSON to begin with. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
