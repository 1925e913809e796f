import type { CauseColumns } from "../../feed/index.ts";
import type { Hold, Outcome, Status } from "./schema.ts";

export type TaskRow = {
  id: number;
  channel: string;
  sender: string | null;
  sender_id: string;
  content: string;
  status: Status;
  response_summary: string | null;
  error: string | null;
  created_at: string;
  /** When it ended. */
  processed_at: string | null;
  priority: number;
  /** The smallest is next: when it was made, earlier by so much as its priority is worth. */
  order_key: number;
  run_at: string | null;
  /** Why it is not in the index of what can be claimed. What holds a whole lane back is not written into its tasks. */
  held_for: Extract<Hold, "delay" | "concurrency"> | null;
  account: string;
  /** Its account and what it needs. */
  lane: string;
  dedup_key: string | null;
  concurrency_key: string | null;
  concurrency_limit: number | null;
  /** 1 while it runs under its concurrency key, or can be claimed. */
  slot: number | null;
  max_attempts: number;
  /** How often it was claimed: the fencing token of who has it. */
  attempt: number;
  /** Attempts that do not count. */
  refunded: number;
  worker_id: string | null;
  worker: string | null;
  /** The run whose program took it last, where the hub has started that. */
  run_id: number | null;
  claimed_at: string | null;
  lease_until: string | null;
  cancel_requested_at: string | null;
  cancel_reason: string | null;
  thread_id: number | null;
  /** How its sender is told of its end: by mail, or not at all but by an await. */
  relay: "mail" | null;
  /** 1 until its result was handed to who sent it. */
  relay_owed: number | null;
  /** How many wait for it. */
  awaited: number;
  /** The task of the plan that it was made of. */
  plan_task_id: number | null;
} & CauseColumns;

export type AttemptRow = {
  task_id: number;
  attempt: number;
  worker_id: string;
  worker: string;
  claimed_at: string;
  ended_at: string;
  outcome: Outcome;
  error: string | null;
};

export type AwaitRow = {
  id: number;
  task_id: number;
  waiter_id: string;
  waiter: string;
  trigger_name: string | null;
  session_key: string | null;
  /** The run of whose program waits. */
  run_id: number | null;
  registered_at: string;
  /** How the task ended, in which attempt, and when. */
  status: Status | null;
  attempt: number | null;
  ended_at: string | null;
  offered_at: string | null;
  offered_by: string | null;
  offers: number;
  /** For the end of which attempt a file was written. */
  filed: number | null;
  /** On which machine and in which folder: only there can be seen whether somebody took it. */
  filed_in: string | null;
  consumed_at: string | null;
};

/** A task that ended, for whoever waits for it. */
export type OwedRow = AwaitRow & Pick<TaskRow, "channel" | "response_summary" | "error">;
