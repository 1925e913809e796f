import type { Columns } from "../columns.ts";

/** What people are told once, and what they are asked. */
export const up = ({ key, time, text, json, position }: Columns): string[] => [
  `create table notices (
    space_id ${key} not null,
    id ${position} not null,
    raised_by ${key} not null,
    key ${key} not null,
    gathers ${key},
    times ${position} not null,
    kind ${key} not null,
    title ${text} not null,
    text ${text} not null,
    topic ${key},
    ref ${position},
    agents ${json},
    choices ${json},
    expires_at ${time},
    state ${key} not null,
    choice ${key},
    settled_by ${key},
    settled_at ${time},
    primary key (space_id, id)
  )`,
  // What says something once: the same key of the same one is the same notice, as long as it is kept.
  "create unique index notices_key on notices (space_id, raised_by, key)",
  // What is open is little, whatever was settled in the years before.
  "create index notices_open on notices (space_id, id) where state = 'open'",
  "create unique index notices_gathering on notices (space_id, raised_by, gathers) where state = 'open' and gathers is not null",
  "create index notices_open_of on notices (space_id, raised_by) where state = 'open'",
];
