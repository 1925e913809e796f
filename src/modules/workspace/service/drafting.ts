import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { timeOfId } from "../../../ids.ts";
import { fitting } from "../../../pages.ts";
import { didYouMean } from "../../../suggest.ts";
import type { Draft, ReadDraft, ReadSection, Section } from "../schema.ts";
import * as store from "../store.ts";
import type { SectionRow } from "../tables.ts";
import { noteReading } from "./told-reads.ts";

/** The draft in its order, as much as a page holds; or one section of it. That it was read is told. */
export async function readDraft(ctx: Ctx, input: ReadDraft): Promise<Draft> {
  if (input.section_id === undefined && input.version !== undefined)
    throw new ParleyError("INVALID_ARGUMENT", "A version is one of a section: name it with section_id.");
  const { sections, next } = await draft(ctx, input);
  await noteReading(
    ctx,
    sections.map(({ section_id }) => section_id),
  );
  return { sections, next };
}

/** A section by its name, be it one that the hub makes itself. */
export async function readSection(ctx: Ctx, { section_name }: ReadSection): Promise<Section> {
  const section = await findSection(ctx, section_name);
  await noteReading(ctx, [section.section_id]);
  return section;
}

/** The same without that it is told. */
export async function draft(ctx: Ctx, { section_id, version, after }: ReadDraft): Promise<Draft> {
  if (section_id !== undefined) return { sections: [await findSection(ctx, section_id, version)], next: null };
  const { space_id } = ctx.actor;
  const all = await store.listSections(ctx.db, space_id);
  const rest = after === undefined ? all : all.slice(1 + all.indexOf(known(all, after)));
  const some = fitting(rest);
  const [first, last] = [some[0], some.at(-1)];
  if (!first || !last) return { sections: [], next: null };
  const whole = await store.listWholeSections(ctx.db, { space_id, first: first.order_key, last: last.order_key });
  // Somebody has moved one between the two reads: what is shown is as it was at one time.
  if (whole.length !== some.length || whole.some((each, at) => each.section_id !== some[at]?.section_id))
    return draft(ctx, { after });
  const begins = 1 + all.indexOf(first);
  const sections = whole.map((section, at) => wire(section, begins + at));
  return { sections, next: some.length < rest.length ? last.section_id : null };
}

export async function findSection(ctx: Ctx, section_id: string, version?: number): Promise<Section> {
  const made = ctx.sections.find((section) => section.section_id === section_id);
  if (made) {
    const facts = { section_id, title: made.title, version: 0, author: null, last_updated: null, place: null };
    return { ...facts, content: await made.read(ctx) };
  }
  const { space_id } = ctx.actor;
  const sections = await store.listSections(ctx.db, space_id);
  const section = known(sections, section_id);
  const found =
    version === undefined || version === section.version
      ? await store.findSection(ctx.db, { space_id, section_id })
      : await store.findVersion(ctx.db, { space_id, section_id, version });
  if (found) return wire(found, 1 + sections.indexOf(section));
  throw new ParleyError(
    "SECTION_NOT_FOUND",
    `${section_id} has no version ${version}: its newest is ${section.version}.`,
    { details: { section_id, current_version: section.version } },
  );
}

/** The one of that name. Refuses one that there is not, and says which may be meant. */
export function known(sections: readonly SectionRow[], section_id: string): SectionRow {
  const found = sections.find((section) => section.section_id === section_id);
  if (!found) throw noSuch(sections, section_id);
  return found;
}

function noSuch(sections: readonly SectionRow[], section_id: string): ParleyError {
  const names = sections.map((section) => section.section_id);
  return new ParleyError(
    "SECTION_NOT_FOUND",
    `There is no section ${JSON.stringify(section_id)} in the draft.${didYouMean(section_id, names)} read_draft shows all there are.`,
    { details: { section_id } },
  );
}

function wire(row: Omit<store.WholeSection, "order_key" | "bytes">, place: number): Section {
  const { section_id, title, content, version, author, id } = row;
  return { section_id, title, content, version, author, last_updated: timeOfId(id), place };
}
