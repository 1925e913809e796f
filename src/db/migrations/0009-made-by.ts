import type { Columns } from "../columns.ts";

/** By which token a token or a code was made: it falls with it. Of those there were before nothing is known. */
export const up = ({ key }: Columns): string[] => [
  `alter table tokens add column made_by ${key}`,
  "create index tokens_made on tokens (made_by) where made_by is not null",
  `alter table login_codes add column made_by ${key}`,
];
