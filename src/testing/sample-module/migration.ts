import type { Columns } from "../../db/columns.ts";

/** In a real module this is the next file of `src/db/migrations`. */
export const up = ({ key, text, position }: Columns): string[] => [
  `create table bookmarks (
    space_id ${key} not null,
    id ${position} not null,
    principal_id ${key} not null,
    tag ${key} not null,
    title ${text} not null,
    primary key (space_id, id)
  )`,
  "create index bookmarks_of_tag on bookmarks (space_id, tag, id)",
  `create table bookmark_counts (
    space_id ${key} not null,
    tag ${key} not null,
    bookmarks ${position} not null,
    primary key (space_id, tag)
  )`,
];
