import type { Reader, Tx } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";

interface BookmarkRow {
  id: number;
  tag: string;
  title: string;
}

type Tagged = { space_id: string; tag: string };

const insert = statement<BookmarkRow & { space_id: string; principal_id: string }>(
  `insert into bookmarks (space_id, id, principal_id, tag, title)
   values (:space_id, :id, :principal_id, :tag, :title)`,
);
export const insertBookmark = (tx: Tx, row: BookmarkRow & { principal_id: string }): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const countOne = statement<Tagged>(
  `insert into bookmark_counts (space_id, tag, bookmarks) values (:space_id, :tag, 1)
   on conflict (space_id, tag) do update set bookmarks = bookmark_counts.bookmarks + 1`,
);
export const countBookmark = (tx: Tx, tag: string): Promise<void> => tx.run(countOne, { space_id: tx.space_id, tag });

const find = statement<{ space_id: string; id: number }, BookmarkRow>(
  "select id, tag, title from bookmarks where space_id = :space_id and id = :id",
);
export const findBookmark = (tx: Tx, id: number): Promise<BookmarkRow | undefined> =>
  tx.get(find, { space_id: tx.space_id, id });

const list = statement<Tagged, BookmarkRow>(
  "select id, tag, title from bookmarks where space_id = :space_id and tag = :tag order by id desc limit 100",
);
export const listBookmarks = (db: Reader, args: Tagged): Promise<BookmarkRow[]> => db.all(list, args);

const counted = statement<Tagged, { bookmarks: number }>(
  "select bookmarks from bookmark_counts where space_id = :space_id and tag = :tag",
);
export const findCount = async (db: Reader, args: Tagged): Promise<number> =>
  (await db.get(counted, args))?.bookmarks ?? 0;
