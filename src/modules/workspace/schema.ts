export * from "./schema/draft.ts";
export * from "./schema/notes.ts";
export * from "./schema/plan.ts";
export * from "./schema/whole.ts";
