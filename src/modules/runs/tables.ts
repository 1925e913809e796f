import type { CauseColumns } from "../../feed/index.ts";
import type { Kind, Outcome, SessionMode, State } from "./schema.ts";

export type NodeRow = {
  id: string;
  /** This start of it: what an earlier one had begun is over. */
  boot: string;
  host: string;
  /** What it can start, as JSON. */
  can: string;
  started_at: string;
  lease_until: string;
};

export type RunRow = CauseColumns & {
  space_id: string;
  id: number;
  kind: Kind;
  name: string;
  session_mode: SessionMode;
  session_key: string;
  /** Of one kind, name and lane one runs at a time, in their order. */
  lane: string;
  prompt: string;
  state: State;
  waits_for: "backoff" | "quota" | "budget" | "approval" | null;
  not_before: string;
  /** How often it is tried again after a failure. */
  retries: number;
  failures: number;
  /** How often its node went away under it. */
  losses: number;
  /** The fencing token of whoever runs it. */
  attempt: number;
  /** Where the feed was when it was last claimed; null while it never was. What came later its program may not have seen. */
  claimed_id: number | null;
  node: string | null;
  node_boot: string | null;
  host: string | null;
  pid: number | null;
  pid_start: string | null;
  session_id: string | null;
  /** Whose quota and money its program uses, as its definition said when it was last begun. */
  account: string;
  token_id: string | null;
  stop_requested_at: string | null;
  stop_requested_by: string | null;
  started_at: string | null;
  ended_at: string | null;
  exit_code: number | null;
  signal: string | null;
  error: string | null;
  /** Millionths of a dollar. */
  cost_micros: number | null;
  /** Whose decision it waits for, or goes on after: the call that its client has put off. */
  approval_id: number | null;
  /** The attempt that was given what was approved: no other one is. */
  permitted_in: number | null;
};

/** The end of a task that a run tells its session of. */
export type RunWakeRow = {
  run_id: number;
  wake_id: number;
  /** Of which of the task's attempts. */
  wake_attempt: number;
  /** The run whose session waits for it; 0 for one that the hub has not started. */
  waited_in: number;
  /** What is told. */
  told: string;
};

export type AttemptRow = {
  run_id: number;
  attempt: number;
  cookie: string;
  node: string;
  host: string;
  pid: number | null;
  session_id: string | null;
  is_resumed: number;
  claimed_at: string;
  started_at: string | null;
  ended_at: string | null;
  outcome: Outcome | null;
  exit_code: number | null;
  signal: string | null;
  error: string | null;
  cost_micros: number | null;
};

export type SessionKey = { kind: Kind; name: string; session_key: string };

export type RunSessionRow = SessionKey & {
  /** Null while its client has not told it yet. */
  session_id: string | null;
  host: string;
  /** What its client has counted up for it so far. */
  cost_micros: number;
  updated_at: string;
};

export type StreakRow = {
  kind: Kind;
  name: string;
  failures: number;
  /** The run that failed first. */
  began_id: number;
  retry_at: string;
};

export type OutputRow = { run_id: number; attempt: number; bytes: number; output: string };

export type PauseRow = { paused_by: string; paused_at: string };
