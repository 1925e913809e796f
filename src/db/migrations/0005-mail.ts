import type { Columns } from "../columns.ts";

/** Mail, its copies with their own state, threads, topics, and who was offered what. */
export const up = ({ key, time, text, json, position, clustered, serial, words }: Columns): string[] => [
  `create table mails (
    seq ${serial},
    space_id ${key} not null,
    id ${position} not null,
    thread_id ${position} not null,
    in_reply_to ${position},
    sender_id ${key} not null,
    by_principal_id ${key},
    recipients ${json} not null,
    participants ${json} not null,
    subject ${text} not null,
    preview ${text} not null,
    priority ${key} not null,
    deadline ${time},
    topic ${key},
    bytes ${position} not null,
    body ${text} not null
  )`,
  "create unique index mails_id on mails (space_id, id)",
  "create index mails_thread on mails (space_id, thread_id, id)",
  "create index mails_sender on mails (space_id, sender_id, id)",
  ...words("mail_words", "mails"),

  `create table mail_recipients (
    space_id ${key} not null,
    id ${position} not null,
    mail_id ${position} not null,
    principal_id ${key} not null,
    position ${position} not null,
    priority ${key} not null,
    state ${key} not null,
    offered ${position} not null,
    read_at ${time},
    acked_at ${time},
    snoozed_until ${time},
    snooze_id ${position},
    place ${key} not null,
    primary key (space_id, mail_id, principal_id)
  )${clustered}`,
  // Lists and counts walk this from its end, and touch nothing that is not in it. `place` says in one word where a copy
  // lies. It is no generated column: SQLite would look up the whole row for each that it counts.
  "create index mail_places on mail_recipients (space_id, principal_id, place, position)",
  "create index mail_snoozing on mail_recipients (space_id, snooze_id) where snooze_id is not null",
  "create index mail_trash on mail_recipients (space_id, id) where state = 'trash'",

  `create table mail_subscriptions (
    space_id ${key} not null,
    topic ${key} not null,
    principal_id ${key} not null,
    created_at ${time} not null,
    primary key (space_id, topic, principal_id)
  )${clustered}`,

  `create table mail_pairs (
    space_id ${key} not null,
    first_id ${key} not null,
    second_id ${key} not null,
    turns ${position} not null,
    last_sender_id ${key} not null,
    last_at ${time} not null,
    primary key (space_id, first_id, second_id)
  )${clustered}`,
  "create index mail_pairs_second on mail_pairs (space_id, second_id)",
  "create index mail_pairs_quiet on mail_pairs (space_id, last_at)",
  "create index mail_pairs_turning on mail_pairs (space_id, turns) where turns > 0",

  `create table deliveries (
    space_id ${key} not null,
    topic ${key} not null,
    ref ${position} not null,
    principal_id ${key} not null,
    channel ${key} not null,
    attempt ${position} not null,
    state ${key} not null,
    proof ${text} not null,
    first_at ${time} not null,
    last_at ${time} not null,
    primary key (space_id, topic, ref, principal_id, channel)
  )${clustered}`,
];
