import type { TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { timeOfId } from "../../../ids.ts";
import type { WriteSection } from "../schema.ts";
import * as store from "../store.ts";
import type { SectionRow } from "../tables.ts";
import { merge } from "./merging.ts";

type Yours = WriteSection & { expected_version: number; author: string };

/** Somebody else was first: both texts, and what comes of them together where they began from the same one. */
export async function conflict(ctx: TxCtx, known: SectionRow | undefined, yours: Yours): Promise<ParleyError> {
  const { section_id, expected_version, title, content, author } = yours;
  const where = { space_id: ctx.tx.space_id, section_id };
  const current_version = known?.version ?? 0;
  const current = known && (await store.findSection(ctx.tx, where));
  const base =
    expected_version > 0 && expected_version < current_version
      ? await store.findVersion(ctx.tx, { ...where, version: expected_version })
      : undefined;
  const merged =
    current && base
      ? merge(base.content, {
          current: { text: current.content, name: `version ${current_version} by ${current.author}` },
          yours: { text: content, name: `yours, ${author}` },
        })
      : undefined;
  const way = merged
    ? `Write merged.content${merged.conflicts > 0 ? ", once what is marked in it is decided," : ""} with expected_version ${current_version}.`
    : current_version === 0
      ? "Write it without expected_version, or with 0."
      : `Read it, and write what is to be there with expected_version ${current_version}.`;
  return new ParleyError(
    "VERSION_CONFLICT",
    `${section_id} is at version ${current_version}, not ${expected_version}; nothing was written. ${way}`,
    {
      details: {
        section_id,
        current_version,
        current: current
          ? {
              title: current.title,
              content: current.content,
              author: current.author,
              last_updated: timeOfId(current.id),
            }
          : null,
        yours: { title: title ?? known?.title ?? section_id, content },
        merged: merged ?? null,
      },
    },
  );
}
