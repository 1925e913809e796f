/** What MCP clients hear of the workspace by the names and with the parameters that the seed gave them. */
import { READERS } from "../../../context.ts";
import { type Notification, notificationsFor } from "../../../module.ts";
import { noteAdded, planUpdated, sectionCreated, sectionRead, sectionUpdated } from "./events.ts";

const givenBy = (tool: string) => notificationsFor("scratchpad", READERS, [tool]);
const ofDraft = givenBy("read_draft");

export const notifications: readonly Notification[] = [
  ofDraft("section_created", sectionCreated, ({ section_id }) => ({ section_name: section_id })),
  ofDraft("section_updated", sectionUpdated, ({ section_id, preview }) => ({
    ...{ section_name: section_id, content_preview: preview },
  })),
  ofDraft("section_read", sectionRead, ({ section_id, reader }) => ({
    ...{ section_name: section_id, reader_agent: reader },
  })),
  givenBy("read_plan")("checklist_updated", planUpdated, ({ task_id, old_status, new_status }) => ({
    ...{ item_id: task_id, old_status, new_status },
  })),
  givenBy("read_notes")("note_added", noteAdded, ({ note_id, author, tags, preview }) => ({
    ...{ note_id, author, tags, content_preview: preview },
  })),
];
