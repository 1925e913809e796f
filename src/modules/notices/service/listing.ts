import type { Ctx } from "../../../context.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { ListNotices, NoticeList } from "../schema.ts";
import * as store from "../store.ts";
import { isoNow, wire } from "./wire.ts";

/** What people were told and asked, newest first. */
export async function list(ctx: Ctx, { open, limit, before }: ListNotices): Promise<NoticeList> {
  const { space_id, principal_id } = ctx.actor;
  const now = isoNow(ctx);
  const before_id = before ? parseId(before) : Number.MAX_SAFE_INTEGER;
  const page = { space_id, principal_id, before_id, limit: limit + 1 };
  const rows = await (open === undefined
    ? store.listNotices(ctx.db, page)
    : open
      ? store.listOpenNotices(ctx.db, { ...page, now })
      : store.listClosedNotices(ctx.db, { ...page, now }));
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    notices: shown.map((row) => wire(ctx, row)),
    next: last && rows.length > limit ? formatId(last.id) : null,
  };
}

/** What a notice is about, for whoever raised it. */
export async function subjectOf(
  ctx: Ctx,
  id: number,
): Promise<{ topic: string | null; ref: number | null } | undefined> {
  const row = await store.findNotice(ctx.db, { space_id: ctx.actor.space_id, id });
  return row && { topic: row.topic, ref: row.ref };
}
