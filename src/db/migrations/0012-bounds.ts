import type { Columns } from "../columns.ts";

/** By whom things were made, so that nobody makes them without end; and one more pair of letters that look alike. */
export const up = ({ key }: Columns): string[] => [
  `alter table agents add column created_by ${key}`,
  "create index agents_made on agents (created_by, created_at) where created_by is not null",
  "create index tokens_created on tokens (created_by, created_at)",
  "create index spaces_created on spaces (created_by, created_at)",
  "create index spaces_open on spaces (created_by, expires_at)",

  `alter table notices add column by_principal_id ${key}`,
  "update notices set by_principal_id = raised_by",
  "create index notices_open_by on notices (space_id, by_principal_id) where state = 'open'",

  `alter table mail_subscriptions add column by_principal_id ${key}`,
  "update mail_subscriptions set by_principal_id = principal_id",
  "create index mail_subscriptions_of on mail_subscriptions (space_id, principal_id)",
  "create index mail_subscriptions_by on mail_subscriptions (space_id, by_principal_id)",

  // Two that are there already and would be the same keep what tells them apart.
  `update principals set skeleton = replace(skeleton, 'cl', 'd') where skeleton like '%cl%' and not exists
   (select 1 from principals o where o.id <> principals.id
    and replace(o.skeleton, 'cl', 'd') = replace(principals.skeleton, 'cl', 'd'))`,
];
