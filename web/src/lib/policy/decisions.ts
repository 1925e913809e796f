import type { Approval } from "./types.ts";

/** What a person calls them. */
export const STATES: Record<Approval["state"], string> = {
  pending: "Waits",
  approved: "Approved",
  executing: "Running",
  completed: "Done",
  answered: "Answered",
  denied: "Denied",
  failed: "Failed",
  unknown: "Outcome unknown",
  expired: "Expired",
  withdrawn: "Taken back",
  superseded: "Replaced",
};

/** So often the same call is approved before it is worth a rule. */
const OFTEN = 3;

export interface Habits {
  /** Of those that a person was asked about and decided. */
  decided: number;
  approved: number;
  /** Half of them were decided sooner; null where none was. */
  median_ms: number | null;
  /** What was asked again and again and never denied: by its newest call. */
  often: { call: Approval; times: number }[];
}

/** How people decide, from what they decided: who approves everything is asked too much. */
export function habitsOf(approvals: readonly Approval[]): Habits {
  const decided = approvals.filter(({ outcome }) => outcome?.startsWith("user_"));
  const waits = decided.map(({ requested_at, decided_at }) => Date.parse(decided_at ?? "") - Date.parse(requested_at));
  const same = Map.groupBy(decided, ({ digest }) => digest);
  const often = [...same.values()].flatMap((calls) => {
    const [call] = calls;
    // Of what was shown in part no rule can be made.
    const whole = call?.covers === "arguments";
    return call && whole && calls.length >= OFTEN && calls.every(isApproved) ? { call, times: calls.length } : [];
  });
  return {
    decided: decided.length,
    approved: decided.filter(isApproved).length,
    median_ms: waits.toSorted((a, b) => a - b)[Math.floor((waits.length - 1) / 2)] ?? null,
    often: often.toSorted((a, b) => b.times - a.times),
  };
}

const isApproved = ({ outcome }: Approval): boolean => outcome === "user_approve";

const COLUMNS = [
  ...["id", "requested_at", "agent", "called_by", "server", "tool", "arguments", "digest", "state", "ruled"],
  "policy_version",
  ...[
    "outcome",
    "decided_by",
    "decided_at",
    "decided_via",
    "reason",
    "edited_arguments",
    "edited_digest",
    "executing_at",
    "ended_at",
  ],
] as const satisfies readonly (keyof Approval)[];

export const csvOf = (approvals: readonly Approval[]): string =>
  [COLUMNS.join(","), ...approvals.map((one) => COLUMNS.map((column) => cell(one[column])).join(","))]
    .map((line) => `${line}\r\n`)
    .join("");

/** A spreadsheet takes what begins like a formula for one, and agents write these. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

export function habitWords({ decided, approved, median_ms }: Habits): string {
  const how_soon = median_ms === null ? "" : `; half of them were decided within ${lasting(median_ms)}`;
  if (decided === 1) {
    const within = median_ms === null ? "" : ` within ${lasting(median_ms)}`;
    return `People have decided one${within}, and ${approved === 1 ? "approved" : "denied"} it.`;
  }
  return `Of the last ${decided} that people decided, ${approved} ${approved === 1 ? "was" : "were"} approved${how_soon}.`;
}

/** 40 s, 4 min, 3 h. */
function lasting(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
