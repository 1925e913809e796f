export * from "./store/asking.ts";
export * from "./store/bodies.ts";
export * from "./store/copies.ts";
export * from "./store/lists.ts";
export * from "./store/mails.ts";
export * from "./store/topics.ts";
export * from "./store/trails.ts";
