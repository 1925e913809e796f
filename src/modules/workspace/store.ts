export * from "./store/draft.ts";
export * from "./store/notes.ts";
export * from "./store/plan.ts";
