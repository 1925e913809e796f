/** Things to find again. Invariants: a tag's count is the number of its bookmarks; a reminder is told once. */
import { type Ctx, transact } from "../../context.ts";
import { plan } from "../../due/index.ts";
import { dataOf, defineEvent, type FeedEvent } from "../../feed/index.ts";
import { formatId } from "../../ids.ts";
import type { DueHandler } from "../../module.ts";
import type { Add, Bookmark, BookmarkList, List } from "./schema.ts";
import * as store from "./store.ts";

export const TOPIC = "bookmarks";
export const REMIND = "bookmarks.remind";

const added = defineEvent<{ title: string; tag: string }>({ topic: TOPIC, type: "bookmark.added" });
const reminded = defineEvent<{ payload: unknown }>({ topic: TOPIC, type: "bookmark.reminded" });

export function add(ctx: Ctx, { title, tag, remind_seconds }: Add): Promise<Bookmark> {
  return transact(ctx, async (ctx) => {
    const id = await added.append(ctx, { stream: tag, data: { title, tag } });
    await store.insertBookmark(ctx.tx, { id, principal_id: ctx.actor.principal_id, tag, title });
    if (remind_seconds !== undefined)
      await plan(ctx, { kind: REMIND, ref: id, at: ctx.now() + remind_seconds * 1000, payload: { why: "asked for" } });
    return { id: formatId(id), title, tag };
  });
}

export async function list(ctx: Ctx, { tag }: List): Promise<BookmarkList> {
  const where = { space_id: ctx.actor.space_id, tag };
  const bookmarks = await store.listBookmarks(ctx.db, where);
  return {
    tag,
    count: await store.findCount(ctx.db, where),
    bookmarks: bookmarks.map(({ id, ...bookmark }) => ({ ...bookmark, id: formatId(id) })),
  };
}

/** The count and what is counted never differ, so it happens in the same transaction. */
export const count = (ctx: Parameters<DueHandler>[0], event: FeedEvent): Promise<void> =>
  store.countBookmark(ctx.tx, dataOf(event, added.is).tag);

export const remind: DueHandler = async (ctx, { ref, payload }) => {
  const bookmark = await store.findBookmark(ctx.tx, ref);
  if (bookmark) await reminded.append(ctx, { stream: bookmark.tag, ref, data: { payload } });
};
