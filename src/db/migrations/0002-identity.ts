import type { Columns } from "../columns.ts";

/** Who there is, what they may do where, and by which tokens they are known. */
export const up = ({ key, time, position, clustered }: Columns): string[] => [
  `create table principals (
    id ${key} primary key,
    name ${key} not null unique,
    skeleton ${key} not null unique,
    kind ${key} not null,
    created_at ${time} not null
  )`,

  `create table grants (
    principal_id ${key} not null references principals (id),
    space_id ${key} not null,
    role ${key} not null,
    created_at ${time} not null,
    primary key (principal_id, space_id, role)
  )${clustered}`,
  "create index grants_space on grants (space_id)",

  `create table tokens (
    id ${key} primary key,
    hash ${key} not null unique,
    principal_id ${key} not null references principals (id),
    subscriber_id ${key} not null,
    created_by ${key} not null,
    created_at ${time} not null,
    revoked_at ${time}
  )`,
  "create index tokens_principal on tokens (principal_id)",

  `create table agents (
    space_id ${key} not null,
    principal_id ${key} not null references principals (id),
    inbox_id ${position} not null,
    type ${key} not null,
    lifecycle ${key} not null,
    run_phase ${key} not null,
    created_at ${time} not null,
    updated_at ${time} not null,
    primary key (space_id, principal_id)
  )`,
  "create unique index agents_inbox on agents (space_id, inbox_id)",
];
