/** What MCP clients hear of the workspace by the names and with the parameters that the seed gave them. */
import { READERS } from "../../../context.ts";
import type { EventView } from "../../../feed/index.ts";
import type { Notification } from "../../../module.ts";
import { TOPIC } from "./wire.ts";

const notification = (name: string, type: string, params: EventView): Notification => ({
  name: `scratchpad/${name}`,
  place: { topic: TOPIC, types: [type] },
  roles: READERS,
  params,
});

export const notifications: readonly Notification[] = [
  notification("section_created", "section.created", ({ data }) => ({ section_name: data.section_id })),
  notification("section_updated", "section.updated", ({ data }) => ({
    section_name: data.section_id,
    content_preview: data.preview,
  })),
  notification("section_read", "section.read", ({ data }) => ({
    section_name: data.section_id,
    reader_agent: data.reader,
  })),
  notification("checklist_updated", "plan.updated", ({ data }) => ({
    item_id: data.task_id,
    old_status: data.old_status,
    new_status: data.new_status,
  })),
  notification("note_added", "note.added", ({ data: { note_id, author, tags, preview } }) => ({
    note_id,
    author,
    tags,
    content_preview: preview,
  })),
];
