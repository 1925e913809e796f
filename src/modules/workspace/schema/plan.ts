import { z } from "zod";
import { Id } from "../../../ids.ts";

export const MOST_AT_ONCE = 500;
export const MOST_PLAN_TASKS = 10_000;
export const MOST_SUMMARY = 4000;
/** Of one task in one batch. */
const MOST_DEPENDENCIES = 50;
const STATUSES = ["todo", "in_progress", "completed", "blocked"] as const;
export const PlanStatus = z.enum(STATUSES);
export type PlanStatus = z.infer<typeof PlanStatus>;
const KINDS = ["blocks", "discovered_from", "parent"] as const;
export const LinkKind = z.enum(KINDS);
export type LinkKind = z.infer<typeof LinkKind>;

const PlanTaskId = Id.transform(Number);
/** Another task: by its id, or one of the same batch by its `ref` or its index from 0. */
const Reference = z.union([z.string().max(100), z.number()]);
export type Reference = z.infer<typeof Reference>;
const Assignee = z
  .string()
  .max(100)
  .refine((name) => !/\p{Cc}/u.test(name), "a name is one line");

const NewPlanTask = z.strictObject({
  description: z
    .string()
    .max(4000)
    .refine((text) => text.trim() !== "", "the description is empty"),
  dependencies: z.array(Reference).max(MOST_DEPENDENCIES).default([]),
  assigned_to: Assignee.nullable().default(null),
  ref: z.string().max(100).optional(),
  parent: z.string().max(100).optional(),
  discovered_from: z.string().max(100).optional(),
  queue: z.boolean().default(false),
});
export type NewPlanTask = z.infer<typeof NewPlanTask>;

export const AddTasks = z.strictObject({
  tasks: z
    .array(NewPlanTask)
    .min(1)
    .max(MOST_AT_ONCE)
    .describe(
      "A dependency, parent or discovered_from is a task's id, or of this batch its ref or index from 0. queue: a worker does it once it is ready.",
    ),
});
export type AddTasks = z.infer<typeof AddTasks>;
export const AddedTasks = z.object({
  count: z.int(),
  tasks: z
    .array(z.object({ task_id: Id, description: z.string(), ready: z.boolean() }))
    .describe("As they were given."),
});
export type AddedTasks = z.infer<typeof AddedTasks>;

export const UpdatePlanTask = z
  .strictObject({
    task_id: PlanTaskId.describe("Which one."),
    status: PlanStatus.optional().describe("What it is now."),
    assigned_to: Assignee.nullable().optional().describe("Who does it; null for nobody."),
    summary: z.string().max(MOST_SUMMARY).optional().describe("What came of it, or what blocks it."),
    queue: z.literal(true).optional().describe("A worker is to do it."),
  })
  .refine(
    ({ task_id: _, ...change }) => Object.values(change).some((value) => value !== undefined),
    "say what to change: status, assigned_to, summary or queue",
  );
export type UpdatePlanTask = z.infer<typeof UpdatePlanTask>;

export const PlanTask = z.object({
  id: Id,
  description: z.string().describe("As its author wrote it."),
  status: PlanStatus,
  assigned_to: z.string().nullable(),
  dependencies: z.array(Id).describe("What has to be completed before."),
  ready: z.boolean().describe("Todo, and all it depends on is completed."),
  blocked_by: z.array(Id).describe("Those of its dependencies that are not completed."),
  links: z.array(z.object({ kind: LinkKind.exclude(["blocks"]), task_id: Id })),
  summary: z.string().nullable(),
  author: z.string(),
  updated_at: z.iso.datetime(),
  queued: z.boolean().describe("A worker of the queue does it, or will once it is ready."),
  queue_task_id: Id.nullable().describe("The queue's task that was last made of it."),
});
export type PlanTask = z.infer<typeof PlanTask>;

/** What is told of one that was changed. */
export const ChangedTask = PlanTask.pick({
  ...{ id: true, status: true, assigned_to: true, ready: true, blocked_by: true, summary: true, queued: true },
});
export type ChangedTask = z.infer<typeof ChangedTask>;

export const ReadPlan = z.strictObject({
  status: PlanStatus.optional().describe("Only these."),
  assigned_to: z.string().max(100).optional().describe("Only theirs."),
  ready: z.literal(true).optional().describe("Only what can be started."),
  limit: z.int().min(1).max(MOST_AT_ONCE).default(MOST_AT_ONCE).describe("How many at most."),
  after_id: Id.optional().describe("The last_id of the page before."),
});
export type ReadPlan = z.infer<typeof ReadPlan>;
export const Plan = z.object({
  plan: z.array(PlanTask),
  has_more: z.boolean(),
  last_id: Id.nullable().describe("Go on after it while has_more."),
});
export type Plan = z.infer<typeof Plan>;

export const LinkTasks = z.strictObject({
  task_id: PlanTaskId.describe("Which one."),
  other_id: PlanTaskId.describe("The other one."),
  kind: LinkKind.default("blocks").describe(
    "What the other is to it: blocks it until completed, parent, or where it comes from.",
  ),
});
export type LinkTasks = z.infer<typeof LinkTasks>;
export const LinkedTasks = z.object({ task_id: Id, other_id: Id, kind: LinkKind, changed: z.boolean() });
export type LinkedTasks = z.infer<typeof LinkedTasks>;
