import type { Columns } from "../columns.ts";

/** What is waited for across requests: a question each, until it has an answer. */
export const up = ({ key, time, json }: Columns): string[] => [
  `create table waits (
    id ${key} primary key,
    space_id ${key} not null,
    principal_id ${key} not null,
    acting ${key} not null,
    tool ${key} not null,
    arguments ${json} not null,
    place ${key},
    state ${key} not null,
    result ${json},
    created_at ${time} not null,
    touched_at ${time} not null
  )`,
  "create index waits_working on waits (space_id, principal_id, acting, tool, place) where state = 'working'",
  "create index waits_age on waits (space_id, state, touched_at)",
];
