import { span, whenWords } from "#lib/time.ts";
import type { Attempt, Card, Column, Details, Hold } from "./types.ts";

export const COLUMN_WORDS: Record<Column, string> = {
  waiting: "Waiting",
  held: "Held back",
  working: "Working",
  done: "Done",
  dead: "Dead",
};

/** What will appear where there is nothing yet. */
export const NONE_WORDS: Record<Column, string> = {
  waiting: "What any worker may take next.",
  held: "What waits for its time, its turn, a worker or a quota.",
  working: "What a worker has taken, for as long as its lease lasts.",
  done: "What was done or cancelled, the latest first.",
  dead: "What failed too often, until it is tried again.",
};

const HOUR_MS = 3_600_000;

const WHOSE = { space: "this space", agent: "the agent", account: "the account" };

/** Why nobody is given it, and what ends that. */
export function holdWords(hold: Hold, { tries, now }: { tries: number; now: number }): string {
  const { reason, until, account, missing, key, limit, budget } = hold;
  const then = until === null ? "" : `${whenWords(until, now)}`;
  if (reason === "delay") return `${tries > 0 ? "Tried again" : "Not before"} ${then}${inWords(until, now)}`;
  if (reason === "concurrency") return `Waits its turn: only ${limit === 1 ? "one" : limit} of “${key}” at a time`;
  if (reason === "needs") return `No worker offers ${missing.join(", ")}`;
  if (reason === "quota") return `The quota of “${account}” is used up until ${then}${inWords(until, now)}`;
  const whose = budget === "account" ? `${WHOSE.account} “${account}”` : WHOSE[budget ?? "space"];
  return `Today’s budget of ${whose} is used up: until ${then}, or until more is allowed`;
}

const inWords = (until: string | null, now: number): string => {
  if (until === null) return "";
  const left = Date.parse(until) - now;
  return left > 0 && left < HOUR_MS ? ` (in ${span(left)})` : "";
};

const OUTCOMES: Record<NonNullable<Attempt["outcome"]>, string> = {
  done: "Done",
  failed: "Failed",
  throttled: "Met a quota, cost nothing",
  released: "Given back, cost nothing",
  expired: "Lease ran out",
  cancelled: "Cancelled",
};
export const outcomeWords = (outcome: Attempt["outcome"]): string =>
  outcome === null ? "Working on it" : OUTCOMES[outcome];

type Tone = "plain" | "working" | "waiting" | "failed" | "chosen";
const STATES: Record<Card["status"], { words: string; tone: Tone }> = {
  pending: { words: "Waiting", tone: "plain" },
  processing: { words: "Working", tone: "working" },
  done: { words: "Done", tone: "chosen" },
  cancelled: { words: "Cancelled", tone: "plain" },
  dead: { words: "Dead", tone: "failed" },
};
export function stateOf({ status, hold }: Pick<Card, "status" | "hold">): { words: string; tone: Tone } {
  return hold === null ? STATES[status] : { words: "Held back", tone: "waiting" };
}

/** Attempt 2 of 3; what cost nothing does not count. */
export const attemptWords = ({ tries, max_attempts }: Pick<Card, "tries" | "max_attempts">): string =>
  `attempt ${tries} of ${max_attempts}`;

type Await = Pick<Details["awaits"][number], "registered_at" | "offered_at" | "consumed_at" | "given_up">;

/** How it is with one that waits for the end of a task. */
export function waitWords({ registered_at, offered_at, consumed_at, given_up }: Await, now: number): string {
  if (consumed_at) return `was told ${whenWords(consumed_at, now)}`;
  if (given_up) return "could not be told.";
  return offered_at ? `is being told since ${whenWords(offered_at, now)}` : `since ${whenWords(registered_at, now)}`;
}
