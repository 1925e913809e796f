import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Channel, Hold, Outcome, Status, Task, TaskId, Time } from "./task.ts";

export const GetTask = z.strictObject({ task_id: TaskId });
export type GetTask = z.infer<typeof GetTask>;

const Attempt = z.object({
  attempt: z.int(),
  worker: z.string(),
  claimed_at: Time,
  ended_at: Time.nullable(),
  outcome: Outcome.nullable(),
  error: z.string().nullable(),
});

const Await = z.object({
  waiter: z.string(),
  session_key: z.string().nullable(),
  registered_at: Time,
  offered_at: Time.nullable(),
  consumed_at: Time.nullable(),
  given_up: z.boolean().describe("No run could tell it: people are asked whether it is tried again."),
});

const HoldReason = z.object({
  reason: Hold,
  until: Time.nullable().describe("When it ends by itself, where that is known."),
  account: z.string().nullable().describe("Whose quota was met, or whose budget is used up."),
  budget: z.enum(["space", "agent", "account"]).nullable().describe("Whose budget it is."),
  missing: z.array(z.string()).describe("What it needs and no worker offers."),
  key: z.string().nullable().describe("Under which only so many run at a time."),
  limit: z.int().nullable(),
  tasks: z.array(Id).describe("A few of those that have the places under the key."),
});
export type HoldReason = z.infer<typeof HoldReason>;

/** With its whole history. */
export const TaskDetails = Task.extend({
  attempts: z.array(Attempt),
  awaits: z.array(Await).describe("Who waits for it."),
  cause: Id.nullable(),
  hold: HoldReason.nullable().describe("Why nobody is given it just now, in detail."),
});
export type TaskDetails = z.infer<typeof TaskDetails>;

export const ListTasks = z.strictObject({
  status: Status.default("pending").describe("Pending (if left out), processing, done, cancelled or dead."),
  channel: Channel.optional().describe("Of this channel only."),
  limit: z.int().min(1).max(100).default(20).describe("How many at most."),
  cursor: Id.optional().describe("The next of the last page."),
});
export type ListTasks = z.infer<typeof ListTasks>;

export const TaskList = z.object({
  tasks: z.array(Task),
  next: Id.nullable().describe("Pass it as cursor for the next page; null at the end."),
});
export type TaskList = z.infer<typeof TaskList>;

export const FindTasks = z.strictObject({
  before: Id.optional().describe("Only earlier ones."),
  limit: z.int().min(1).max(100).default(20),
});
export type FindTasks = z.infer<typeof FindTasks>;
export const FoundTasks = z.object({
  tasks: z.array(Task.pick({ id: true, status: true, channel: true, sender: true })),
});
export type FoundTasks = z.infer<typeof FoundTasks>;

export const Stats = z.object({
  total: z.int(),
  by_status: z.record(z.string(), z.int()),
  by_channel: z.record(z.string(), z.int()),
  oldest_pending_seconds: z.int().nullable().describe("For how long the oldest pending task has waited."),
});
export type Stats = z.infer<typeof Stats>;

export const COLUMNS = ["waiting", "held", "working", "done", "dead"] as const;
const Column = z.enum(COLUMNS);
export type Column = z.infer<typeof Column>;

export const LookAtBoard = z.strictObject({
  column: Column.optional().describe("This one alone; the counts are of all."),
  limit: z.int().min(1).max(200).default(20).describe("Of each column."),
  task_id: TaskId.optional().describe("With this one whole, as task_get gives it."),
});
export type LookAtBoard = z.infer<typeof LookAtBoard>;

const Card = Task.pick({
  ...{ id: true, channel: true, sender: true, status: true, created_at: true, processed_at: true, priority: true },
  ...{ run_at: true, attempt: true, max_attempts: true, claimed_by: true, claimed_at: true, lease_expires_at: true },
  ...{ error: true, cancel_requested_at: true },
}).extend({
  text: z.string().describe("How its content begins: data from its sender."),
  tries: z.int().describe("How many of its attempts count."),
  hold: HoldReason.nullable().describe("Why nobody is given it just now."),
});
export type Card = z.infer<typeof Card>;

const BoardRequeue = z.object({
  requeue_id: Id,
  total: z.int(),
  requeued: z.int(),
  left_out: z.int().describe("Another task with their dedup key waits or runs."),
  per_minute: z.int(),
  started_by: z.string(),
  started_at: Time,
});
export type BoardRequeue = z.infer<typeof BoardRequeue>;

export const Board = z.object({
  counts: z.record(Column, z.int()),
  columns: z.array(z.object({ column: Column, tasks: z.array(Card) })),
  task: TaskDetails.nullable().describe("The one that was asked for; null where there is none."),
  requeue: BoardRequeue.nullable().describe("Dead tasks that are just being tried again."),
});
export type Board = z.infer<typeof Board>;
