import type { Ctx } from "../../../context.ts";
import { page, startOf } from "../../../pages.ts";
import type { ListNotices, NoticeList } from "../schema.ts";
import * as store from "../store.ts";
import { isoNow, wire } from "./wire.ts";

/** What people were told and asked, newest first. */
export async function list(ctx: Ctx, { open, limit, before }: ListNotices): Promise<NoticeList> {
  const { space_id, principal_id } = ctx.actor;
  const now = isoNow(ctx);
  const wanted = { space_id, principal_id, before_id: startOf(before), limit: limit + 1 };
  const rows = await (open === undefined
    ? store.listNotices(ctx.db, wanted)
    : open
      ? store.listOpenNotices(ctx.db, { ...wanted, now })
      : store.listClosedNotices(ctx.db, { ...wanted, now }));
  const { shown, next } = page(rows, limit, ({ id }) => id);
  return { notices: shown.map((row) => wire(ctx, row)), next };
}

/** What a notice is about, for whoever raised it. */
export async function subjectOf(
  ctx: Ctx,
  id: number,
): Promise<{ topic: string | null; ref: number | null } | undefined> {
  const row = await store.findNotice(ctx.db, { space_id: ctx.actor.space_id, id });
  return row && { topic: row.topic, ref: row.ref };
}
