import type { Columns } from "../columns.ts";

/** Browsers sign in: by a code that is good for minutes they get a token that is good for days. */
export const up = ({ key, time, clustered }: Columns): string[] => [
  `alter table tokens add column label ${key}`,
  `alter table tokens add column expires_at ${time}`,

  `create table login_codes (
    hash ${key} primary key,
    principal_id ${key} not null references principals (id),
    created_by ${key} not null,
    created_at ${time} not null,
    expires_at ${time} not null,
    token_id ${key}
  )${clustered}`,
];
