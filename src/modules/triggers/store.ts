export * from "./store/runs.ts";
export * from "./store/secrets.ts";
export * from "./store/triggers.ts";
