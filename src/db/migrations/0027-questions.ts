import type { Columns } from "../columns.ts";

/** What agents ask people, and where a workflow stopped to wait for it. A notice may be another module's to answer. */
export const up = ({ key, time, text, json, position, clustered }: Columns): string[] => [
  `alter table notices add column tool ${key}`,
  // Of what is waited for across requests: whether a form was shown to whoever sits there, and answered or put away.
  `alter table waits add column form ${key}`,

  `create table questions (
    space_id ${key} not null,
    id ${position} not null,
    asker_id ${key} not null,
    question ${text} not null,
    context ${text} not null,
    priority ${key} not null,
    blocking ${position} not null,
    options ${json},
    options_only ${position} not null,
    fallback ${text},
    answer ${text},
    via ${key},
    handed_in ${position} not null,
    thread_id ${position},
    primary key (space_id, id)
  )`,
  "create index questions_thread on questions (space_id, thread_id) where thread_id is not null",
  "create index questions_answered on questions (space_id, id) where answer is not null",

  `create table checkpoints (
    space_id ${key} not null,
    id ${position} not null,
    paused_by ${key} not null,
    reason ${key} not null,
    phase ${text},
    state ${key} not null,
    resumed_at ${time},
    primary key (space_id, id)
  )`,
  // A space is one workflow: it is paused once or not at all.
  "create unique index checkpoints_waiting on checkpoints (space_id) where state = 'waiting'",

  `create table checkpoint_questions (
    space_id ${key} not null,
    checkpoint_id ${position} not null,
    question_id ${position} not null,
    waits ${position} not null,
    primary key (space_id, checkpoint_id, question_id)
  )${clustered}`,
  "create index checkpoint_questions_of on checkpoint_questions (space_id, question_id)",

  `create table workflow_phases (
    space_id ${key} not null,
    phase ${text} not null,
    begun_at ${time} not null,
    primary key (space_id)
  )${clustered}`,
];
