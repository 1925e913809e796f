import type { Columns } from "../columns.ts";

/** What agents do that a runtime runs: who runs each, what it follows and how far, its log, its turns, and what people see of it. */
export const up = ({ key, time, text, json, position }: Columns): string[] => [
  `create table runtimes (
    space_id ${key} not null,
    principal_id ${key} not null,
    fence ${position} not null,
    driver ${key},
    started_at ${time},
    seen_at ${time},
    ended_at ${time},
    turn_id ${position},
    taken_id ${position} not null,
    abort_turn_id ${position},
    paused_at ${time},
    paused_by ${key},
    mounts ${json} not null,
    in_hub ${json},
    primary key (space_id, principal_id)
  )`,
  "create index runtimes_in_hub on runtimes (space_id, principal_id) where in_hub is not null",
  `create table subscriptions (
    space_id ${key} not null,
    principal_id ${key} not null,
    server ${key} not null,
    uri ${key} not null,
    is_pinned ${position} not null,
    created_at ${time} not null,
    last_error ${text},
    primary key (space_id, principal_id, server, uri)
  )`,
  `create table resource_watermarks (
    space_id ${key} not null,
    principal_id ${key} not null,
    server ${key} not null,
    uri ${key} not null,
    last_id ${position} not null,
    updated_at ${time} not null,
    primary key (space_id, principal_id, server, uri)
  )`,
  `create table run_events (
    space_id ${key} not null,
    id ${position} not null,
    principal_id ${key} not null,
    turn_id ${position},
    type ${key} not null,
    key ${key} not null,
    body ${json} not null,
    bytes ${position} not null,
    primary key (space_id, id)
  )`,
  // With the size in it a page can be cut to a number of bytes without reading what does not fit.
  "create index run_events_of_agent on run_events (space_id, principal_id, id, bytes)",
  "create unique index run_events_key on run_events (space_id, principal_id, key)",
  // What a model is told, and what a turn is begun for.
  "create index run_events_inputs on run_events (space_id, principal_id, id, bytes) where type in ('UserText', 'Resumed')",
  `create table run_event_texts (
    space_id ${key} not null,
    id ${position} not null,
    text ${text} not null,
    primary key (space_id, id)
  )`,
  `create table turns (
    space_id ${key} not null,
    id ${position} not null,
    principal_id ${key} not null,
    fence ${position} not null,
    status ${key} not null,
    outcome ${key},
    error ${text},
    ended_at ${time},
    cost_micros ${position},
    input_tokens ${position},
    output_tokens ${position},
    cause ${position},
    cause_how ${key},
    primary key (space_id, id)
  )`,
  "create index turns_of_agent on turns (space_id, principal_id, id)",
  `create table timeline (
    space_id ${key} not null,
    id ${position} not null,
    principal_id ${key} not null,
    kind ${key} not null,
    key ${key} not null,
    body ${json} not null,
    changed_id ${position} not null,
    primary key (space_id, id)
  )`,
  "create index timeline_of_agent on timeline (space_id, principal_id, id)",
  "create index timeline_changed on timeline (space_id, principal_id, changed_id)",
  "create unique index timeline_key on timeline (space_id, principal_id, key)",
];
