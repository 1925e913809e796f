import type { Lookup } from "../../../tool.ts";

export const facets = ["tasks"] as const;

/** What a command's word means that names a task. */
export const TASK: Lookup = { what: "task", tool: "task_find", list: "tasks", short: true, before: "before" };
export const task_id = "the task, as short as names one, or latest";

/** Of a task, as a person looks at one. */
export const FIELDS = [
  ...["id", "status", "held_for", "channel", "sender", "priority", "created_at", "run_at", "processed_at"],
  ...["attempt", "max_attempts", "claimed_by", "lease_expires_at", "needs", "account", "dedup_key"],
  ...["concurrency_key", "cancel_requested_at", "cancel_reason", "thread_id", "cause"],
];
export const TEXTS = ["content", "response_summary", "error"];
