import { type Ctx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { timeOfId } from "../../../ids.ts";
import {
  MOST_DRAFT_BYTES,
  MOST_SECTION_BYTES,
  MOST_SECTIONS,
  RESERVED,
  type WriteSection,
  type WrittenSection,
} from "../schema.ts";
import * as store from "../store.ts";
import type { SectionRow } from "../tables.ts";
import { conflict } from "./conflicts.ts";
import { tellWritten } from "./events.ts";
import { lastKey } from "./moving.ts";
import { authorOf, checkBytes } from "./wire.ts";

export function writeSection(ctx: Ctx, input: WriteSection): Promise<WrittenSection> {
  const bytes = checkBytes(input.content, MOST_SECTION_BYTES, "A section");
  refuseReserved(ctx, input.section_id);
  return transact(ctx, async (ctx) => {
    const { section_id, content, expected_version } = input;
    const author = await authorOf(ctx);
    const sections = await store.listSections(ctx.tx, ctx.tx.space_id);
    const known = sections.find((section) => section.section_id === section_id);
    if (expected_version !== undefined && expected_version !== (known?.version ?? 0))
      throw await conflict(ctx, known, { ...input, expected_version, author: author.author });
    checkRoom(sections, { section_id, bytes });
    const title = input.title ?? known?.title ?? section_id;
    const version = (known?.version ?? 0) + 1;
    const created = known === undefined;
    const id = ctx.tx.takeId();
    const written = { section_id, title, version, id, bytes, content };
    await Promise.all([
      store.insertVersion(ctx.tx, { ...written, ...author, ...toColumns(ctx.cause) }),
      store.saveSection(ctx.tx, {
        ...written,
        author: author.author,
        order_key: known?.order_key ?? lastKey(sections),
      }),
      tellWritten(ctx, { ...written, author: author.author, created }),
    ]);
    const place = 1 + (known ? sections.indexOf(known) : sections.length);
    return { section_id, title, version, author: author.author, last_updated: timeOfId(id), place, created };
  });
}

function refuseReserved({ sections }: Ctx, section_id: string): void {
  if (section_id === RESERVED || sections.some((section) => section.section_id === section_id))
    throw new ParleyError(
      "INVALID_ARGUMENT",
      `${section_id} is made by the hub itself: give the section another name.`,
    );
}

function checkRoom(
  sections: readonly SectionRow[],
  { section_id, bytes }: Pick<SectionRow, "section_id" | "bytes">,
): void {
  const others = sections.filter((section) => section.section_id !== section_id);
  if (others.length >= MOST_SECTIONS)
    throw new ParleyError("LIMIT_REACHED", `A draft has at most ${MOST_SECTIONS} sections.`, {
      details: { limit: MOST_SECTIONS },
    });
  const all = others.reduce((sum, section) => sum + section.bytes, bytes);
  if (all > MOST_DRAFT_BYTES)
    throw new ParleyError(
      "CONTENT_TOO_LARGE",
      `A draft holds at most ${MOST_DRAFT_BYTES} bytes; with this section it would have ${all}.`,
    );
}
