import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { timeOfId } from "../../../ids.ts";
import type { DiffSection, SectionDiff, SectionHistory, Versions } from "../schema.ts";
import * as store from "../store.ts";
import { changesOf, linesOf, unified } from "./comparing.ts";
import { findSection, known } from "./drafting.ts";

/** Its versions, the newest first. */
export async function history(ctx: Ctx, { section_id, limit, before }: SectionHistory): Promise<Versions> {
  const { space_id } = ctx.actor;
  const section = known(await store.listSections(ctx.db, space_id), section_id);
  const first = before ?? section.version + 1;
  const rows = await store.listVersions(ctx.db, { space_id, section_id, before: first, limit });
  const versions = rows.map(({ version, id, title, author, bytes }) => {
    return { version, title, author, last_updated: timeOfId(id), bytes: Number(bytes) };
  });
  const last = versions.at(-1)?.version ?? 1;
  return { section_id, versions, next: last > 1 ? last : null };
}

/** What is different between two of them; between the newest and the one before, where none is named. */
export async function diff(ctx: Ctx, { section_id, from, to }: DiffSection): Promise<SectionDiff> {
  const later = await findSection(ctx, section_id, to);
  const version = from ?? later.version - 1;
  if (version < 1)
    throw new ParleyError("INVALID_ARGUMENT", `There is nothing before version ${later.version} of ${section_id}.`);
  const earlier = await findSection(ctx, section_id, version);
  const old = linesOf(earlier.content);
  const changes = changesOf(old, linesOf(later.content));
  return {
    section_id,
    from: version,
    to: later.version,
    added: changes.reduce((sum, { lines }) => sum + lines.length, 0),
    removed: changes.reduce((sum, change) => sum + change.to - change.from, 0),
    diff: unified(old, changes),
  };
}
