export * from "./store/attempts.ts";
export * from "./store/awaits.ts";
export * from "./store/board.ts";
export * from "./store/budgets.ts";
export * from "./store/lanes.ts";
export * from "./store/lists.ts";
export * from "./store/requeues.ts";
export * from "./store/tasks.ts";
