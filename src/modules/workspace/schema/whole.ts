import { z } from "zod";
import { Section } from "./draft.ts";
import { Note } from "./notes.ts";
import { PlanTask } from "./plan.ts";

/** All of it as one object. */
export const Workspace = z.object({
  notes: z.array(Note),
  draft_sections: z.record(z.string(), Section).describe("By section_id."),
  plan: z.array(PlanTask),
});
export type Workspace = z.infer<typeof Workspace>;
