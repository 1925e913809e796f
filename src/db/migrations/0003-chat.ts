import type { Columns } from "../columns.ts";

/** What people and agents said to each other. */
export const up = ({ key, text, position }: Columns): string[] => [
  `create table messages (
    space_id ${key} not null,
    inbox_id ${position} not null,
    id ${position} not null,
    author ${key} not null,
    principal_id ${key} not null,
    by_principal_id ${key},
    mime ${key} not null,
    content ${text} not null,
    bytes ${position} not null
  )`,
  // With the size in it a page can be cut to a number of bytes without reading what does not fit.
  "create unique index messages_inbox on messages (space_id, inbox_id, id, bytes)",
  // The oldest of a whole space, for retention.
  "create index messages_age on messages (space_id, id)",
];
