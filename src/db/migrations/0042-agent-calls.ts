import type { Columns } from "../columns.ts";

/** What people call of the servers that an agent's runtime has mounted, until it takes them; then they are approvals. */
export const up = ({ key, time, text, position }: Columns): string[] => [
  `create table agent_calls (
    space_id ${key} not null,
    id ${position} not null,
    agent_id ${key} not null,
    called_by ${key} not null,
    key ${text} not null,
    server ${text} not null,
    tool ${text} not null,
    arguments ${text} not null,
    state ${key} not null,
    expires_at ${time} not null,
    approval_id ${position},
    code ${key},
    error ${text},
    cause ${position},
    cause_how ${key},
    primary key (space_id, id)
  )`,
  "create unique index agent_calls_key on agent_calls (space_id, called_by, key)",
  "create index agent_calls_waiting on agent_calls (space_id, agent_id, id) where state = 'waiting'",

  // Who called it where the agent did not, and what came of that.
  `alter table approvals add column called_by ${key}`,
  `alter table approvals add column output ${text}`,
];
