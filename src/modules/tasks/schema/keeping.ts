import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Account, Channel, Task, TaskId, Time } from "./task.ts";

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
  left_out: z
    .int()
    .describe("Dead tasks that fit but cannot be requeued: another task with their dedup key waits or runs."),
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
  tasks: z.int().min(0).optional().describe("At most so many tasks are begun."),
  runs: z.int().min(0).optional().describe("At most so many programs are started."),
  cost_usd: z.number().min(0).max(1_000_000).optional().describe("At most so many dollars are spent."),
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
