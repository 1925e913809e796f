import { z } from "zod";
import { Id } from "../../../ids.ts";
import { attempt, MOST_ERROR, Need, Task, TaskId, Time, Words } from "./task.ts";

export const NextTask = z.strictObject({
  offers: z.array(Need).max(32).default([]).describe("What you can do that tasks may need, such as gpu."),
  wait_seconds: z.int().min(0).max(300).default(0).describe("How long to wait for one while there is none."),
});
export type NextTask = z.infer<typeof NextTask>;

export const Given = z.object({
  next_task: Task.nullable(),
  message: z.string().optional(),
  warning: z.string().optional(),
  active_task: Task.optional().describe("The task that you have already."),
  lease_seconds: z.int().optional().describe("For so long the task is yours without a word from you."),
});
export type Given = z.infer<typeof Given>;

export const CompleteTask = z.strictObject({
  task_id: TaskId,
  response_summary: Words("the summary").describe("Sent to who asked for it: write it as your reply."),
  attempt,
});
export type CompleteTask = z.infer<typeof CompleteTask>;

export const FailTask = z.strictObject({
  task_id: TaskId,
  error: Words("the error").max(MOST_ERROR).describe("What went wrong."),
  throttled_until: z
    .string()
    .max(40)
    .optional()
    .describe("You met a quota: until when it lasts, such as 2h. Costs no attempt."),
  attempt,
});
export type FailTask = z.infer<typeof FailTask>;

export const ReleaseTask = z.strictObject({
  task_id: TaskId,
  reason: Words("the reason").max(MOST_ERROR).describe("Why you do not go on with it."),
  attempt,
});
export type ReleaseTask = z.infer<typeof ReleaseTask>;

export const HeartbeatTask = z.strictObject({ task_id: TaskId, attempt });
export type HeartbeatTask = z.infer<typeof HeartbeatTask>;
export const Beat = z.object({
  task_id: Id,
  attempt: z.int(),
  lease_expires_at: Time,
  cancel_requested: z.boolean().describe("Stop, and fail the task."),
  cancel_reason: z.string().nullable(),
});
export type Beat = z.infer<typeof Beat>;
