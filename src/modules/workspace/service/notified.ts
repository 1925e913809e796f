/** What MCP clients hear of the workspace by the names and with the parameters that the seed gave them. */
import { READERS } from "../../../context.ts";
import { type Notification, notificationsFor } from "../../../module.ts";
import { noteAdded, planUpdated, sectionCreated, sectionRead, sectionUpdated } from "./events.ts";

const notification = notificationsFor("scratchpad", READERS);

export const notifications: readonly Notification[] = [
  notification("section_created", sectionCreated, ({ section_id }) => ({ section_name: section_id })),
  notification("section_updated", sectionUpdated, ({ section_id, preview }) => ({
    ...{ section_name: section_id, content_preview: preview },
  })),
  notification("section_read", sectionRead, ({ section_id, reader }) => ({
    ...{ section_name: section_id, reader_agent: reader },
  })),
  notification("checklist_updated", planUpdated, ({ task_id, old_status, new_status }) => ({
    ...{ item_id: task_id, old_status, new_status },
  })),
  notification("note_added", noteAdded, ({ note_id, author, tags, preview }) => ({
    ...{ note_id, author, tags, content_preview: preview },
  })),
];
