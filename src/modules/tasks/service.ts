/**
 * Tasks that people, agents and triggers hand to workers. Invariants: a task has at most one lease, whose fencing token
 * is its attempt; a stale one changes nothing; a task that ended stays ended, and is counted and told of once; what
 * waits says what it waits for; whoever awaits a task is owed its end until they have taken it. See
 * docs/design/tasks.md.
 */
export { foresee } from "./service/admitting.ts";
export { cancel, update } from "./service/changing.ts";
export { hasReady, next } from "./service/claiming.ts";
export { create, createOwn, type NewTask } from "./service/creating.ts";
export { complete, fail, heartbeat } from "./service/ending.ts";
export { tasksExplain } from "./service/explaining.ts";
export { get, list, stats } from "./service/reading.ts";
export { tasksDue } from "./service/sweeping.ts";
export { followable, TOPIC } from "./service/wire.ts";
