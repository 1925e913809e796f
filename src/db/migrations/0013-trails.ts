import type { Columns } from "../columns.ts";

/** Through whom the mail of agents came, in the place of how often two of them answered each other. */
export const up = ({ key, time, json, position, clustered }: Columns): string[] => [
  "drop table mail_pairs",
  `create table mail_trails (
    space_id ${key} not null,
    principal_id ${key} not null,
    steps ${json} not null,
    turns ${position} not null,
    person_at ${time} not null,
    last_at ${time} not null,
    primary key (space_id, principal_id)
  )${clustered}`,
  "create index mail_trails_quiet on mail_trails (space_id, last_at)",
  "create index mail_trails_turning on mail_trails (space_id, turns) where turns > 1",
];
