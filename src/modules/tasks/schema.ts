import { z } from "zod";
import { Id } from "../../ids.ts";

export const MOST_CONTENT_BYTES = 2 * 1024 * 1024;
export const MOST_SUMMARY_BYTES = 1024 * 1024;
const MOST_ERROR = 8000;
export const STATUSES = ["pending", "processing", "done", "cancelled", "dead"] as const;
export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;
const HOLDS = ["delay", "concurrency", "needs", "quota", "budget"] as const;
export const Hold = z.enum(HOLDS);
export type Hold = z.infer<typeof Hold>;
const OUTCOMES = ["done", "failed", "throttled", "released", "expired", "cancelled"] as const;
const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;
const Time = z.iso.datetime();

/** A string of digits, as ids are on the wire; the queue's first clients write it as a number. */
const TaskId = z.union([Id, z.int().positive()]).transform(Number);
const attempt = z
  .int()
  .positive()
  .optional()
  .describe("As you were given it; left out, your own claim of this task counts.");

const Words = (what: string) => z.string().refine((text) => text.trim() !== "", `${what} is empty`);
const Channel = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, "a channel is 1 to 40 small letters, digits, dashes and underscores");
const Account = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,63}$/, "an account is 1 to 64 letters, digits and . _ : @ / -");
const Need = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,63}$/, "what is needed is 1 to 64 letters, digits and . _ : @ / -");
const Key = z.string().min(1).max(200);

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
    z.object({ source_key: z.string(), task_id: Id, known: z.boolean().describe("It was taken before.") }),
  ),
});
export type ImportedTasks = z.infer<typeof ImportedTasks>;

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

export const ListTasks = z.strictObject({
  status: Status.default("pending").describe("Of this status; pending if left out."),
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
export const WakeList = z.object({ wakes: z.array(Wake) });

export const Requeue = z.strictObject({
  task_id: TaskId.optional().describe("This one alone. Left out, all dead tasks that fit."),
  channel: Channel.optional().describe("Those of this channel."),
  error: z.string().min(1).max(200).optional().describe("Those whose last error contains this."),
  preview: z.boolean().default(false).describe("Only tell how many, and show a few."),
  per_minute: z.int().min(1).max(60_000).default(600).describe("How many a minute."),
  stop: Id.optional().describe("A requeue_id: no more of it."),
});
export type Requeue = z.infer<typeof Requeue>;
export const Requeued = z.object({
  matched: z.int(),
  requeued: z.int().describe("So far."),
  requeue_id: Id.nullable().describe("Of many, by which it can be stopped."),
  tasks: z.array(Task).describe("A few of them."),
});
export type Requeued = z.infer<typeof Requeued>;

export const SetThrottle = z.strictObject({
  account: Account.default("default").describe("Whose tasks."),
  until: z.string().max(40).optional().describe("Held until then; left out, held no longer."),
  off: z.boolean().default(false).describe("From now on ignore what workers say of this account's quota."),
});
export type SetThrottle = z.infer<typeof SetThrottle>;
export const Throttle = z.object({ account: z.string(), throttled_until: Time.nullable(), off: z.boolean() });
export type Throttle = z.infer<typeof Throttle>;

const PerDay = z.strictObject({
  tasks: z.int().min(0).optional(),
  runs: z.int().min(0).optional(),
  cost_usd: z.number().min(0).max(1_000_000).optional(),
});
const scope = z.enum(["space", "agent", "account"]).describe("Whose: everybody's here, or one agent's or account's.");
export const SetBudget = z
  .strictObject({
    scope,
    name: z.string().max(64).default("").describe("Of the agent or account."),
    per_day: PerDay.describe("At most so much a day, in UTC; empty for no budget."),
  })
  .refine(
    ({ scope, name }) => (scope === "space") === (name === ""),
    "name the agent or account, and for the space nothing",
  );
export type SetBudget = z.infer<typeof SetBudget>;
export const Budget = z.object({
  scope,
  name: z.string(),
  per_day: PerDay,
  used: z.object({ tasks: z.int(), runs: z.int(), cost_usd: z.number() }).describe("Today."),
  exhausted: z.boolean(),
});
export type Budget = z.infer<typeof Budget>;
export const BudgetList = z.object({ budgets: z.array(Budget) });

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
