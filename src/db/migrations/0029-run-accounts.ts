import type { Columns } from "../columns.ts";

/** Whose quota and money a run uses. */
export const up = ({ key }: Columns): string[] => [
  `alter table runs add column account ${key} not null default 'default'`,
  "create index runs_for_quota on runs (space_id, account, id) where state = 'queued' and waits_for = 'quota'",
];
