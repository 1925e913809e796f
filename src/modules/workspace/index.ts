import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { finishQueued, noteQueued, planBrief, startQueued, TOPIC as WORKSPACE } from "./service.ts";

export const workspace = {
  name: "workspace",
  servers: ["scratchpad"],
  tools,
  resources,
  notifications: service.notifications,
  topics: [{ name: service.TOPIC, given_by: ["read_notes", "read_draft", "read_plan"], streams: service.followable }],
  explains: service.workspaceExplains,
  tables: ["notes", "note_tags", "draft_sections", "draft_versions", "plan_tasks", "plan_links"],
  reopened: { notes: { stored: service.reindexNote } },
  long_tables: ["notes", "draft_versions", "plan_tasks"],
} satisfies Module;
