import type { Module } from "../../module.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export type { Beat, Given, Stats, Task, TaskDetails, TaskList } from "./schema.ts";
export { cancel, create, foresee, get, hasReady, type NewTask } from "./service.ts";

export const tasks = {
  name: "tasks",
  servers: [],
  tools,
  topics: [{ name: service.TOPIC, streams: service.followable }],
  explains: service.tasksExplain,
  due: service.tasksDue,
  tables: [
    ...["tasks", "task_attempts", "task_totals", "task_awaits", "task_lanes", "task_workers", "task_throttles"],
    ...["task_budgets", "task_requeues"],
  ],
  long_tables: ["tasks"],
} satisfies Module;
