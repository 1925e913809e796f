import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export {
  charge,
  consumeWake,
  create,
  drainWakes,
  foresee,
  hasReady,
  hasWork,
  isOverBudget,
  isWork,
  listSpacesWithWork,
  listWakes,
  look,
  offerWake,
} from "./service.ts";

export const tasks = {
  name: "tasks",
  servers: [],
  tools,
  resources,
  topics: [{ name: service.TOPIC, streams: service.followable }],
  glance: service.tasksGlance,
  explains: service.tasksExplain,
  heard: service.keep,
  due: service.tasksDue,
  jobs: { [service.WAKE]: service.wakeByFile },
  after: { "tasks.budgets": { topic: "notice", types: ["notice.settled"], run: service.allowMore } },
  plan: service.taskRetention.plan,
  tables: [
    ...["tasks", "task_attempts", "task_totals", "task_awaits", "task_lanes", "task_workers", "task_throttles"],
    ...["task_budgets", "task_requeues", "task_imports"],
  ],
  long_tables: ["tasks", "task_awaits"],
} satisfies Module;
