import type { Tools } from "#lib/hub/types.ts";

export type Note = Tools["read_notes"]["output"]["notes"][number];
export type Tag = Tools["note_tags"]["output"]["tags"][number];
export type DraftSection = Tools["read_draft"]["output"]["sections"][number];
export type Version = Tools["draft_history"]["output"]["versions"][number];
export type PlanTask = Tools["read_plan"]["output"]["plan"][number];
export type PlanStatus = PlanTask["status"];
export type Question = Tools["get_all_questions"]["output"]["questions"][number];
