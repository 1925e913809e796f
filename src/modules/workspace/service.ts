/**
 * What a team works on together. Invariants: a note never changes; a section's versions count up from 1, each is kept, and
 * its newest is the draft's; of two who write against one version, the second is told and has written nothing; links that
 * block, or that say what is part of what, never lead back to where they began; a task of the plan is not started or
 * completed by hand before all that blocks it is completed; it is in the queue once at a time. See
 * docs/design/workspace.md.
 */

export { listTags } from "./service/counting.ts";
export { draft, findSection, readDraft, readSection } from "./service/drafting.ts";
export { changesHint, STREAMS, sectionHint, TOPIC } from "./service/events.ts";
export { workspaceExplains } from "./service/explaining.ts";
export { exportDraft } from "./service/exporting.ts";
export { newestNotes, readNotes } from "./service/finding.ts";
export { diff, history } from "./service/history.ts";
export { link, unlink } from "./service/linking.ts";
export { moveSection } from "./service/moving.ts";
export { notifications } from "./service/notified.ts";
export { addNote, reindexNote } from "./service/noting.ts";
export { addTasks } from "./service/planning.ts";
export { finishQueued, noteQueued, planBrief, startQueued } from "./service/queueing.ts";
export { readPlan } from "./service/reading-plan.ts";
export { updateTask } from "./service/updating.ts";
export { whole } from "./service/whole.ts";
export { followable } from "./service/wire.ts";
export { writeSection } from "./service/writing.ts";
