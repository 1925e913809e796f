import type { Ctx } from "../../../context.ts";
import { ReadDraft, ReadPlan, type Workspace } from "../schema.ts";
import { draft } from "./drafting.ts";
import { newestNotes } from "./finding.ts";
import { readPlan } from "./reading-plan.ts";

/** All of it, as far as a page of each holds it. */
export async function whole(ctx: Ctx): Promise<Workspace> {
  const [{ notes }, { sections }, { plan }] = await Promise.all([
    newestNotes(ctx),
    draft(ctx, ReadDraft.parse({})),
    readPlan(ctx, ReadPlan.parse({})),
  ]);
  return { notes, draft_sections: Object.fromEntries(sections.map((each) => [each.section_id, each])), plan };
}
