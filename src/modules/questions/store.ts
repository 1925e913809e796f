export * from "./store/checkpoints.ts";
export * from "./store/questions.ts";
export * from "./store/retention.ts";
