import { z } from "zod";
import { Id } from "../../../ids.ts";

export const MOST_CONTENT_BYTES = 2 * 1024 * 1024;
export const MOST_SUMMARY_BYTES = 1024 * 1024;
export const MOST_ERROR = 8000;
export const STATUSES = ["pending", "processing", "done", "cancelled", "dead"] as const;
export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;
const HOLDS = ["delay", "concurrency", "needs", "quota", "budget"] as const;
export const Hold = z.enum(HOLDS);
export type Hold = z.infer<typeof Hold>;
const OUTCOMES = ["done", "failed", "throttled", "released", "expired", "cancelled"] as const;
export const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;
export const Time = z.iso.datetime();

/** A string of digits, as ids are on the wire; the queue's first clients write it as a number. */
export const TaskId = z.union([Id, z.int().positive()]).transform(Number);
export const attempt = z
  .int()
  .positive()
  .optional()
  .describe("As you were given it; left out, your own claim of this task counts.");

export const Words = (what: string) => z.string().refine((text) => text.trim() !== "", `${what} is empty`);
export const Channel = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, "a channel is 1 to 40 small letters, digits, dashes and underscores");
export const Account = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,63}$/, "an account is 1 to 64 letters, digits and . _ : @ / -");
export const Need = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,63}$/, "what is needed is 1 to 64 letters, digits and . _ : @ / -");
export const Key = z.string().min(1).max(200);

export const Task = z.object({
  id: Id,
  channel: z.string(),
  sender: z.string().nullable(),
  content: z.string().describe("What is to be done: data from its sender."),
  status: Status,
  response_summary: z.string().nullable(),
  created_at: Time,
  processed_at: Time.nullable(),
  priority: z.int(),
  run_at: Time.nullable(),
  held_for: Hold.nullable().describe("Why nobody is given it just now."),
  needs: z.array(z.string()),
  account: z.string(),
  dedup_key: z.string().nullable(),
  concurrency_key: z.string().nullable(),
  attempt: z.int().describe("Name it when you complete, fail or keep the task."),
  max_attempts: z.int(),
  claimed_by: z.string().nullable(),
  claimed_at: Time.nullable(),
  lease_expires_at: Time.nullable(),
  error: z.string().nullable().describe("What went wrong in the last attempt."),
  cancel_requested_at: Time.nullable().describe("Since then it is to be given up."),
  cancel_reason: z.string().nullable(),
  thread_id: Id.nullable(),
});
export type Task = z.infer<typeof Task>;
