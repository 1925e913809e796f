import type { Columns } from "../columns.ts";

/** Whom a notice is for and what it tells of, what somebody put off, and which mail waits for its recipient's answer. */
export const up = ({ key, time, text, position, clustered }: Columns): string[] => [
  `alter table notices add column audience ${key}`,
  `alter table notices add column digest ${key}`,
  `alter table notices add column title_many ${text}`,
  "update notices set state = 'answered' where state = 'settled'",

  `create table notice_items (
    space_id ${key} not null,
    notice_id ${position} not null,
    id ${position} not null,
    kind ${key} not null,
    topic ${key} not null,
    ref ${position} not null,
    text ${text} not null,
    primary key (space_id, notice_id, id)
  )${clustered}`,
  "create index notice_items_about on notice_items (space_id, topic, ref)",
  `insert into notice_items (space_id, notice_id, id, kind, topic, ref, text)
   select space_id, id, id, kind, topic, ref, text from notices
   where state = 'open' and times = 1 and topic is not null and ref is not null`,

  `create table need_laters (
    space_id ${key} not null,
    principal_id ${key} not null,
    ref ${position} not null,
    id ${position} not null,
    until_at ${time} not null,
    primary key (space_id, principal_id, ref)
  )${clustered}`,
  "create unique index need_laters_id on need_laters (space_id, id)",

  `alter table mail_recipients add column asks ${position}`,
  `alter table mail_recipients add column answered_at ${time}`,
  `update mail_recipients set asks = 1 where state = 'inbox' and acked_at is null
   and principal_id in (select id from principals where kind = 'human')
   and (priority = 'urgent' or exists (select 1 from mails m where m.space_id = mail_recipients.space_id
     and m.id = mail_recipients.mail_id and m.deadline is not null))`,
  // What waits for somebody is little, whatever lies in the mailbox.
  `create index mail_asking on mail_recipients (space_id, principal_id, mail_id)
   where asks = 1 and answered_at is null and acked_at is null and state = 'inbox' and snoozed_until is null`,
];
