import type { Columns } from "../columns.ts";

/** What starts agents: by time, by a request from outside, by hand; their secrets, and each time that they fired. */
export const up = ({ key, time, text, position, clustered }: Columns): string[] => [
  `create table triggers (
    space_id ${key} not null,
    id ${position} not null,
    name ${key} not null,
    type ${key} not null,
    description ${text},
    channel ${key} not null,
    schedule ${text},
    timezone ${key} not null,
    missed ${key} not null,
    missed_max ${position} not null,
    missed_window_seconds ${position} not null,
    overlap ${key} not null,
    session_mode ${key} not null,
    session_key ${text},
    prompt ${text},
    query_secret ${position} not null,
    enabled ${position} not null,
    last_slot ${time},
    next_run ${time},
    last_run ${time},
    run_count ${position} not null,
    created_at ${time} not null,
    created_by ${key} not null,
    updated_at ${time} not null,
    primary key (space_id, id)
  )`,
  "create unique index triggers_name on triggers (space_id, name)",

  // Sealed by a key that is in no database. One that was replaced may count for a while.
  `create table trigger_secrets (
    space_id ${key} not null,
    trigger_id ${position} not null,
    id ${position} not null,
    sealed ${text} not null,
    created_at ${time} not null,
    retires_at ${time},
    primary key (space_id, trigger_id, id)
  )${clustered}`,

  `create table trigger_runs (
    space_id ${key} not null,
    id ${position} not null,
    trigger_id ${position} not null,
    trigger_name ${key} not null,
    source ${key} not null,
    sender ${key} not null,
    slot ${time},
    delivery ${key},
    session_key ${key} not null,
    state ${key} not null,
    reason ${text},
    fired_at ${time} not null,
    started_at ${time},
    ended_at ${time},
    outcome ${text},
    cost_micros ${position},
    task_id ${position},
    run_id ${position},
    cause ${position},
    cause_how ${key},
    primary key (space_id, id)
  )`,
  // A slot fires once, whichever node sees that its time has come; a delivery once, however often it is sent.
  "create unique index trigger_runs_slot on trigger_runs (space_id, trigger_id, slot) where slot is not null",
  "create unique index trigger_runs_delivery on trigger_runs (space_id, trigger_id, delivery) where delivery is not null",
  "create index trigger_runs_of on trigger_runs (space_id, trigger_name, id)",
  "create index trigger_runs_open on trigger_runs (space_id, trigger_id, id) where ended_at is null",
  "create index trigger_runs_task on trigger_runs (space_id, task_id) where task_id is not null",
  "create index trigger_runs_run on trigger_runs (space_id, run_id) where run_id is not null",

  // What came with it, apart: a list of runs reads none of it.
  `create table trigger_payloads (
    space_id ${key} not null,
    id ${position} not null,
    media ${key} not null,
    payload ${text} not null,
    primary key (space_id, id)
  )`,
];
