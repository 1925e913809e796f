import { type Ctx, transact } from "../../../context.ts";
import type { MovedSection, MoveSection } from "../schema.ts";
import * as store from "../store.ts";
import type { SectionRow } from "../tables.ts";
import { known } from "./drafting.ts";
import { tellMoved } from "./events.ts";

/** From one section to the next, as they are made: so much can be put in between. */
const ROOM = 2 ** 20;

/** Puts a section elsewhere in the draft; all others stay in their order. */
export function moveSection(ctx: Ctx, { section_id, ...where }: MoveSection): Promise<MovedSection> {
  return transact(ctx, async (ctx) => {
    const sections = await store.listSections(ctx.tx, ctx.tx.space_id);
    const section = known(sections, section_id);
    const others = sections.filter((other) => other !== section);
    const at = indexOf(others, where);
    if (at !== sections.indexOf(section)) {
      await store.updateOrder(ctx.tx, putAt(others, section, at));
      await tellMoved(ctx, section_id, at + 1);
    }
    const order = others.toSpliced(at, 0, section);
    return { section_id, place: at + 1, order: order.map((each) => each.section_id) };
  });
}

/** Behind all of these. */
export const lastKey = (sections: readonly SectionRow[]): number => (sections.at(-1)?.order_key ?? 0) + ROOM;

/** The order keys that change: one, unless there is no room left where it goes. */
function putAt(
  others: readonly SectionRow[],
  section: SectionRow,
  at: number,
): Pick<SectionRow, "section_id" | "order_key">[] {
  const before = others[at - 1]?.order_key ?? 0;
  const order_key = at === others.length ? lastKey(others) : Math.floor((before + (others[at]?.order_key ?? 0)) / 2);
  if (order_key > before) return [{ section_id: section.section_id, order_key }];
  return others.toSpliced(at, 0, section).map(({ section_id }, n) => ({ section_id, order_key: (n + 1) * ROOM }));
}

function indexOf(others: readonly SectionRow[], { before, after, place }: Omit<MoveSection, "section_id">): number {
  if (before !== undefined) return others.indexOf(known(others, before));
  if (after !== undefined) return others.indexOf(known(others, after)) + 1;
  return Math.min((place ?? 1) - 1, others.length);
}
