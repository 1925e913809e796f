import type { Module } from "../../module.ts";
import * as notices from "../notices/index.ts";
import { WORKSPACE } from "../workspace/index.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { Account, MOST_CONTENT_BYTES } from "./schema.ts";
export {
  accountIn,
  askUntold,
  charge,
  consumeWake,
  create,
  DEFAULT_ACCOUNT,
  drainWakes,
  endIn,
  foresee,
  giveBackOfRun,
  hasReady,
  hasWork,
  holdAccount,
  holdOfRun,
  isCaused,
  isOverBudget,
  isOverCost,
  isWork,
  keepOfRun,
  listSpacesWithWork,
  listWakes,
  look,
  offerWake,
  quotaEnd,
  taskOf as findTask,
  untoldIn,
} from "./service.ts";

export const tasks = {
  name: "tasks",
  servers: [],
  tools,
  resources,
  topics: [{ name: service.TOPIC, given_by: ["task_list"], streams: service.followable, wire: service.wire }],
  glance: service.tasksGlance,
  explains: service.tasksExplain,
  heard: service.keep,
  due: service.tasksDue,
  jobs: { [service.WAKE]: service.wakeByFile },
  throttle_ms: service.wakingThrottle,
  after: {
    "tasks.budgets": { topic: notices.TOPIC, types: [notices.SETTLED], run: service.allowMore },
    "tasks.plan": { topic: WORKSPACE, types: ["plan.queued"], run: service.queuePlanned },
  },
  plan: service.taskRetention.plan,
  tables: [
    ...["tasks", "task_attempts", "task_totals", "task_awaits", "task_workers", "task_throttles"],
    ...["task_budgets", "task_requeues", "task_imports"],
  ],
  long_tables: ["tasks", "task_awaits"],
} satisfies Module;
