export * from "./store/calls.ts";
export * from "./store/items.ts";
export * from "./store/log.ts";
export * from "./store/runtimes.ts";
export * from "./store/subscriptions.ts";
export * from "./store/turns.ts";
