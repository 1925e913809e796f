export * from "./schema/agents.ts";
export * from "./schema/calls.ts";
export * from "./schema/forks.ts";
export * from "./schema/log.ts";
export * from "./schema/runtime.ts";
export * from "./schema/timeline.ts";
