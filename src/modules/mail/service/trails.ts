import type { TrailRow } from "../tables.ts";

/**
 * What an agent has got from agents, and through which of them it came: how often one wrote to another on the way. A mail
 * that answers takes the trail of its sender along, so wherever mails go round, between two, in a ring, over a topic, the
 * same step comes back with one more each time. Who only reports never gets its own step back.
 */
export interface Trail {
  steps: readonly Step[];
  /** When a person last had a word in it; "" if none had. */
  person_at: string;
  /** When the last mail of it came. */
  last_at: string;
}

/** From, to, how often. */
export type Step = readonly [from: string, to: string, count: number];

/** From so many times on each has to wait before it goes on, twice as long each time. */
export const SLOWED_AT = 10;
export const STOPPED_AT = 20;
/** After so long without mail the next one begins a new conversation. */
const QUIET_MS = 15 * 60_000;
/** A ring of more than this is not found out. */
const MOST_STEPS = 32;

const NOTHING: Trail = { steps: [], person_at: "", last_at: "" };

export function trailOf(row: TrailRow | undefined, now: number): Trail {
  if (!row) return NOTHING;
  const { person_at, last_at, turns } = row;
  const steps: Step[] = JSON.parse(row.steps);
  // Who was stopped stays so until a person lets them go on.
  const quiet = turns < STOPPED_AT && now - Date.parse(last_at) > QUIET_MS;
  return { steps: quiet ? [] : steps, person_at, last_at };
}

/** What counts of the sender's trail: nothing, if a person has had a word with the recipient since. */
export const counting = (sender: Trail, recipient: Trail): Trail =>
  sender.person_at >= recipient.person_at ? sender : { ...NOTHING, person_at: recipient.person_at };

export const countOf = ({ steps }: Trail, from: string, to: string): number =>
  steps.find(([one, other]) => one === from && other === to)?.[2] ?? 0;

/** Those that keep it going. */
export const goingRound = ({ steps }: Trail): string[] => [
  ...new Set(steps.flatMap(([from, to, count]) => (count >= SLOWED_AT ? [from, to] : []))),
];

export const turnsOf = ({ steps }: Trail): number => Math.max(0, ...steps.map(([, , count]) => count));

/** What the recipient has once that mail has come, beside what it had. */
export function extended(trail: Trail, step: Step, had: Trail): Trail {
  const kept = had.person_at === trail.person_at ? had.steps : [];
  const all = new Map<string, Step>();
  for (const one of [...trail.steps, ...kept, step]) {
    const key = `${one[0]} ${one[1]}`;
    const known = all.get(key);
    if (!known || known[2] < one[2]) all.set(key, one);
  }
  // The step just taken first: were it left out no count would ever grow.
  const others = [...all.values()].filter(([from, to]) => from !== step[0] || to !== step[1]);
  const steps = [step, ...others.sort((a, b) => b[2] - a[2])].slice(0, MOST_STEPS);
  return { steps, person_at: trail.person_at, last_at: trail.last_at };
}
