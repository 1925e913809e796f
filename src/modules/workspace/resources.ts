import { READERS } from "../../context.ts";
import { defineResource, type Watch } from "../../resource.ts";
import { ReadDraft, ReadPlan } from "./schema.ts";
import * as service from "./service.ts";

const watch = (stream?: keyof typeof service.STREAMS) => async (): Promise<Watch> => ({
  places: [{ topic: service.TOPIC, ...(stream && { stream }) }],
  hint: service.changesHint,
});

const common = { mime: "application/json", roles: READERS, facets: ["workspace"] as const };

export const resources = [
  defineResource({
    ...common,
    name: "workspace",
    title: "The workspace",
    description: "Notes, draft and plan as one object; of many notes the newest.",
    uri: "parley://workspace",
    given_by: ["read_notes", "read_draft", "read_plan"],
    read: service.whole,
    watch: watch(),
  }),
  defineResource({
    ...common,
    name: "workspace-notes",
    title: "The notes",
    description: "The newest notes, in the order they were added.",
    uri: "parley://workspace/notes",
    given_by: ["read_notes"],
    read: (ctx) => service.newestNotes(ctx),
    watch: watch("notes"),
  }),
  defineResource({
    ...common,
    name: "workspace-draft",
    title: "The draft",
    description: "The sections in their order, as read_draft gives them.",
    uri: "parley://workspace/draft",
    given_by: ["read_draft"],
    read: (ctx) => service.draft(ctx, ReadDraft.parse({})),
    watch: watch("draft"),
  }),
  defineResource({
    ...common,
    name: "workspace-section",
    title: "A section of the draft",
    description: "One section, by its section_id.",
    uri: "parley://workspace/draft/{section}",
    given_by: ["read_section"],
    read: (ctx, { section = "" }) => service.findSection(ctx, named(section)),
    watch: async (ctx, { section = "" }) => {
      const section_id = named(section);
      // To follow one that nobody has written yet is to wait for its first version.
      const made = ctx.sections.find((each) => each.section_id === section_id);
      if (made) return { places: [{ topic: made.topic }], hint: service.changesHint };
      return {
        places: [{ topic: service.TOPIC, stream: service.STREAMS.draft }],
        hint: service.sectionHint(section_id),
      };
    },
  }),
  defineResource({
    ...common,
    name: "workspace-plan",
    title: "The plan",
    description: "The shared checklist, as read_plan gives it.",
    uri: "parley://workspace/plan",
    given_by: ["read_plan"],
    read: (ctx) => service.readPlan(ctx, ReadPlan.parse({})),
    watch: watch("plan"),
  }),
];

/** As it stands in a URI; one that is written wrongly is unknown as it is. */
function named(section: string): string {
  try {
    return decodeURIComponent(section);
  } catch {
    return section;
  }
}
