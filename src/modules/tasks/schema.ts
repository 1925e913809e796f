export * from "./schema/keeping.ts";
export * from "./schema/looking.ts";
export * from "./schema/sending.ts";
export * from "./schema/task.ts";
export * from "./schema/working.ts";
