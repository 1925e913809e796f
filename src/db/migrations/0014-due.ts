import type { Columns } from "../columns.ts";

/** What is due has a payload and counts its attempts; what failed too often is kept apart. Looked for by kind. */
export const up = ({ key, time, text, json, position, clustered }: Columns): string[] => [
  `alter table due add column payload ${json}`,
  `alter table due add column attempt ${position} not null default 0`,
  "drop index due_at",
  "create index due_of_kind on due (kind, at, space_id, ref)",

  `create table due_dead (
    space_id ${key} not null,
    id ${position} not null,
    kind ${key} not null,
    ref ${position} not null,
    at ${time} not null,
    payload ${json},
    attempts ${position} not null,
    error ${text} not null,
    died_at ${time} not null,
    primary key (space_id, id)
  )${clustered}`,
];
