import type { Columns } from "../columns.ts";

/** What a team works on together: notes, the draft with all its versions, and the plan. */
export const up = ({ key, time, text, json, position, clustered, serial, words }: Columns): string[] => [
  `create table notes (
    seq ${serial},
    space_id ${key} not null,
    id ${position} not null,
    author ${key} not null,
    author_id ${key} not null,
    by_principal_id ${key},
    content ${text} not null,
    folded ${text} not null,
    tags ${json} not null,
    links ${json} not null,
    bytes ${position} not null,
    cause ${position},
    cause_how ${key}
  )`,
  "create unique index notes_id on notes (space_id, id)",
  ...words("note_words", "notes"),

  // How many notes a tag has: so that nobody has to count a hundred thousand.
  `create table note_tags (
    space_id ${key} not null,
    tag ${key} not null,
    notes ${position} not null,
    primary key (space_id, tag)
  )${clustered}`,
  "create index note_tags_most on note_tags (space_id, notes, tag)",

  // As the draft is now, with its texts: however many versions there were, to read it touches none of them.
  `create table draft_sections (
    space_id ${key} not null,
    section_id ${key} not null,
    order_key ${position} not null,
    version ${position} not null,
    id ${position} not null,
    bytes ${position} not null,
    author ${key} not null,
    title ${text} not null,
    content ${text} not null,
    primary key (space_id, section_id)
  )`,
  "create index draft_order on draft_sections (space_id, order_key)",

  `create table draft_versions (
    space_id ${key} not null,
    section_id ${key} not null,
    version ${position} not null,
    id ${position} not null,
    title ${text} not null,
    content ${text} not null,
    bytes ${position} not null,
    author ${key} not null,
    author_id ${key} not null,
    by_principal_id ${key},
    cause ${position},
    cause_how ${key},
    primary key (space_id, section_id, version)
  )`,
  "create unique index draft_versions_id on draft_versions (space_id, id)",

  `create table plan_tasks (
    space_id ${key} not null,
    id ${position} not null,
    description ${text} not null,
    status ${key} not null,
    assigned_to ${key},
    summary ${text},
    author ${key} not null,
    author_id ${key} not null,
    by_principal_id ${key},
    updated_at ${time} not null,
    queue ${key},
    queued_by ${key},
    queued_by_id ${key},
    queue_task_id ${position},
    cause ${position},
    cause_how ${key},
    primary key (space_id, id)
  )`,
  // What is to be handed to the queue once nothing blocks it.
  "create index plan_tasks_waiting on plan_tasks (space_id, id) where queue = 'waiting'",

  `create table plan_links (
    space_id ${key} not null,
    task_id ${position} not null,
    kind ${key} not null,
    other_id ${position} not null,
    primary key (space_id, task_id, kind, other_id)
  )${clustered}`,
  "create index plan_links_back on plan_links (space_id, other_id, kind, task_id)",

  `alter table tasks add column plan_task_id ${position}`,
];
