export * from "./store/attempts.ts";
export * from "./store/nodes.ts";
export * from "./store/retention.ts";
export * from "./store/runs.ts";
export * from "./store/sessions.ts";
export * from "./store/spaces.ts";
export * from "./store/wakes.ts";
