import { randomBytes } from "node:crypto";
import type { Columns } from "../columns.ts";

/** Spaces with their counters, the feed, what is due, idempotency keys and watermarks. */
export const up = ({ key, time, text, json, position, clustered }: Columns): string[] => [
  `create table hub (name ${key} primary key, value ${text} not null)${clustered}`,

  `create table spaces (
    id ${key} primary key,
    last_id ${position} not null,
    default_inbox_id ${position} not null,
    created_by ${key} not null,
    created_at ${time} not null,
    expires_at ${time},
    emptied_at ${time}
  )${clustered}`,

  `create table events (
    space_id ${key} not null,
    id ${position} not null,
    type ${key} not null,
    topic ${key} not null,
    stream ${key} not null,
    ref ${position} not null,
    actor_id ${key} not null,
    data ${json} not null,
    primary key (space_id, id)
  )${clustered}`,

  `create table purges (
    space_id ${key} not null,
    topic ${key} not null,
    stream ${key} not null,
    purged_id ${position} not null,
    primary key (space_id, topic, stream)
  )${clustered}`,

  `create table watermarks (
    space_id ${key} not null,
    subscriber_id ${key} not null,
    topic ${key} not null,
    stream ${key} not null,
    last_id ${position} not null,
    updated_at ${time} not null,
    primary key (space_id, subscriber_id, topic, stream)
  )${clustered}`,

  `create table due (
    space_id ${key} not null,
    kind ${key} not null,
    ref ${position} not null,
    at ${time} not null,
    primary key (space_id, kind, ref)
  )${clustered}`,
  "create index due_at on due (at, space_id, kind, ref)",

  `create table idempotency (
    space_id ${key} not null,
    principal_id ${key} not null,
    tool ${key} not null,
    key ${key} not null,
    digest ${key} not null,
    result ${json} not null,
    created_at ${time} not null,
    primary key (space_id, principal_id, tool, key)
  )${clustered}`,
  "create index idempotency_age on idempotency (space_id, created_at)",

  `insert into hub (name, value) values ('epoch', '${randomBytes(8).toString("hex")}')`,
  `insert into spaces (id, last_id, default_inbox_id, created_by, created_at) values
    ('hub', 0, 0, '', '${new Date().toISOString()}'),
    ('main', 0, 1, '', '${new Date().toISOString()}')`,
];
