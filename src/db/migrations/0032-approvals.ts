import type { Columns } from "../columns.ts";

/** What agents may do by themselves, what they asked for, and what people decided. */
export const up = ({ key, time, text, json, position, clustered }: Columns): string[] => [
  `create table policies (
    space_id ${key} not null,
    version ${position} not null,
    id ${position} not null,
    document ${json} not null,
    rules ${position} not null,
    set_by ${key} not null,
    note ${text} not null,
    primary key (space_id, version)
  )`,

  `create table approvals (
    space_id ${key} not null,
    id ${position} not null,
    agent_id ${key} not null,
    key ${text} not null,
    call_id ${text} not null,
    server ${text} not null,
    mount ${text} not null,
    tool ${text} not null,
    arguments ${text} not null,
    digest ${key} not null,
    covers ${key} not null,
    executes ${key} not null,
    editable ${position} not null,
    verdicts ${json} not null,
    about ${text} not null,
    input_schema ${json},
    policy_version ${position} not null,
    ruled ${key} not null,
    decision ${key},
    reason ${text},
    edited_arguments ${text},
    edited_digest ${key},
    progress ${key},
    holder ${key},
    fence ${position} not null,
    executing_at ${time},
    ended_at ${time},
    cause ${position},
    cause_how ${key},
    primary key (space_id, id)
  )`,
  "create unique index approvals_key on approvals (space_id, agent_id, key)",
  "create index approvals_executing on approvals (space_id, agent_id, id) where progress = 'executing'",

  // Which start of an agent's runtime is the newest: an older one claims nothing.
  `create table approval_runtimes (
    space_id ${key} not null,
    agent_id ${key} not null,
    fence ${position} not null,
    primary key (space_id, agent_id)
  )${clustered}`,

  `create table policy_proposals (
    space_id ${key} not null,
    id ${position} not null,
    proposer_id ${key} not null,
    rule ${json} not null,
    digest ${key} not null,
    reason ${text} not null,
    accepted ${position},
    version ${position},
    primary key (space_id, id)
  )`,
];
