import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Account, Channel, Key, Need, Status, Task, TaskId, Time, Words } from "./task.ts";

export const CreateTask = z.strictObject({
  content: Words("the content").describe("The whole brief: whoever works on it knows nothing else."),
  channel: Channel.optional().describe("Where it comes from, such as web, internal, signal, email."),
  priority: z.int().min(-100).max(100).default(0).describe("Higher is earlier; waiting makes up for it."),
  run_at: z.string().max(40).optional().describe("Not before: 30m, 2h or ISO time."),
  dedup_key: Key.optional().describe("While a task with it waits or runs, that one is returned."),
  concurrency_key: Key.optional().describe("Of tasks with the same one, only some run at a time."),
  concurrency_limit: z.int().min(1).max(1000).default(1).describe("How many."),
  needs: z.array(Need).max(8).default([]).describe("What a worker must offer to be given it."),
  account: Account.default("default").describe("Whose quota and budget it uses."),
  max_attempts: z.int().min(1).max(100).default(3).describe("After so many it is dead."),
  thread_id: Id.optional().describe("A mail thread of yours: the result is sent there."),
  session_key: z.string().min(1).max(200).optional().describe("Of a trigger: which of its sessions waits."),
});
export type CreateTask = z.infer<typeof CreateTask>;

const ImportedTask = z.strictObject({
  source_key: Key.describe("What it is called where it comes from: taken once."),
  channel: Channel,
  sender: z.string().max(200).nullable(),
  content: Words("the content"),
  status: z.enum(["pending", "done", "cancelled"]),
  response_summary: z.string().nullable(),
  created_at: Time,
  processed_at: Time.nullable(),
  awaits: z.array(z.strictObject({ trigger_name: z.string().min(1).max(200), session_key: Key })).max(100),
});
export type ImportedTask = z.infer<typeof ImportedTask>;
export const ImportTasks = z.strictObject({ tasks: z.array(ImportedTask).min(1).max(100) });
export type ImportTasks = z.infer<typeof ImportTasks>;
export const ImportedTasks = z.object({
  tasks: z.array(
    z.object({
      source_key: z.string(),
      task_id: Id,
      known: z.boolean().describe("It was taken before."),
      expired: z.boolean().describe("It has been over for longer than tasks are kept, and is removed within the hour."),
    }),
  ),
});
export type ImportedTasks = z.infer<typeof ImportedTasks>;

export const UpdateTask = z.strictObject({
  task_id: TaskId,
  content: Words("the content").describe("Takes the place of what it said."),
});
export type UpdateTask = z.infer<typeof UpdateTask>;

export const CancelTask = z.strictObject({
  task_id: TaskId,
  reason: z.string().max(2000).optional().describe("Told to whoever waits for it."),
});
export type CancelTask = z.infer<typeof CancelTask>;

export const WaitForTasks = z.strictObject({
  task_ids: z.array(TaskId).min(1).max(50).describe("The first of these that ends is given."),
  wait_seconds: z.int().min(0).max(300).default(25),
});
export type WaitForTasks = z.infer<typeof WaitForTasks>;
export const Waited = z.object({
  waiting: z.boolean().describe("None of them has ended."),
  task: Task.nullable().describe("The one that ended."),
  note: z.string(),
});
export type Waited = z.infer<typeof Waited>;

/** An end that a trigger waits for. */
const Wake = z.object({
  id: Id,
  task_id: Id,
  trigger_name: z.string(),
  session_key: z.string(),
  run_id: Id.nullable().describe("The run whose program waits."),
  channel: z.string(),
  response_summary: z.string().nullable(),
  error: z.string().nullable(),
  status: Status,
  attempt: z.int(),
  registered_at: Time,
  ended_at: Time,
  offered_at: Time.nullable().describe("When somebody was last about to be woken; null if nobody was."),
  offers: z.int(),
});
export type Wake = z.infer<typeof Wake>;
export const ListWakes = z.strictObject({
  limit: z.int().min(1).max(100).default(20).describe("How many at most."),
});
export type ListWakes = z.infer<typeof ListWakes>;
const given_up = z.boolean().describe("No run could tell it: people are asked whether it is tried again.");
const OwedEnd = Wake.extend({
  waiter: z.string().describe("A trigger's session, or an agent or person who gets mail."),
  trigger_name: z.string().nullable(),
  session_key: z.string().nullable(),
  given_up,
});
export const WakeList = z.object({ wakes: z.array(OwedEnd) });
export type WakeList = z.infer<typeof WakeList>;
