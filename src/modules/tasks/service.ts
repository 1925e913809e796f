/**
 * Tasks that people, agents and triggers hand to workers. Invariants: a task has at most one lease, whose fencing token
 * is its attempt; a stale one changes nothing; a task that ended stays ended, and is counted and told of once; what
 * waits says what it waits for; whoever awaits a task is owed its end until they have taken it. See
 * docs/design/tasks.md.
 */

export { foresee } from "./service/admitting.ts";
export { consumeWake, listWakes, offerWake, showWakes } from "./service/awaiting.ts";
export { board } from "./service/boarding.ts";
export { allowMore, charge, isOverBudget, isOverCost, listBudgets, setBudget } from "./service/budgeting.ts";
export { cancel, update } from "./service/changing.ts";
export { hasWork, next } from "./service/claiming.ts";
export { complete, fail, heartbeat } from "./service/completing.ts";
export { create, createOwn, DEFAULT_ACCOUNT } from "./service/creating.ts";
export { WAKE } from "./service/due-kinds.ts";
export { accountIn, endIn, followable, isCaused, isWork, TOPIC, wire } from "./service/events.ts";
export { tasksExplain } from "./service/explaining.ts";
export { hasReady, listSpacesWithWork } from "./service/giving.ts";
export { tasksGlance } from "./service/glance.ts";
export { importTasks } from "./service/importing.ts";
export { keep } from "./service/leases.ts";
export { queuePlanned } from "./service/planned.ts";
export { find, get, list, look, stats } from "./service/reading.ts";
export { release } from "./service/releasing.ts";
export { requeue } from "./service/requeueing.ts";
export { taskRetention, tasksDue } from "./service/retention.ts";
export { giveBackOfRun, holdOfRun, keepOfRun } from "./service/run-tasks.ts";
export { holdAccount, quotaEnd, setThrottle } from "./service/throttling.ts";
export { askUntold, untoldIn } from "./service/untold.ts";
export { handed, waitFor } from "./service/waiting.ts";
export { drainWakes, wakeByFile, wakingThrottle } from "./service/waking.ts";
export { taskOf } from "./service/wire.ts";
