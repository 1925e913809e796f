import type { Columns } from "../columns.ts";

/** Which agent a session of some client is, and when agents were last seen. */
export const up = ({ key, time, text, clustered }: Columns): string[] => [
  `alter table agents add column last_seen_at ${time}`,
  `alter table agents add column project ${text}`,
  `alter table agents add column branch ${text}`,
  `alter table agents add column client ${text}`,
  `alter table agents add column deleted_at ${time}`,

  `create table agent_sessions (
    space_id ${key} not null,
    client_session_id ${key} not null,
    principal_id ${key} not null references principals (id),
    token_id ${key} not null,
    client ${text},
    project ${text},
    branch ${text},
    created_by ${key} not null,
    created_at ${time} not null,
    last_seen_at ${time} not null,
    primary key (space_id, client_session_id)
  )${clustered}`,
  "create index agent_sessions_principal on agent_sessions (space_id, principal_id)",
  "create index agent_sessions_seen on agent_sessions (space_id, last_seen_at)",

  // Tokens that ended in a transaction of some space. The hub's own space tells of it, and forgets them.
  `create table ended_tokens (token_id ${key} primary key)${clustered}`,
];
