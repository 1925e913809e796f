import type { Columns } from "../columns.ts";

/** A token that is made for one run or turn: where it works, with which of its holder's roles, and what it stands for. */
export const up = ({ key, position }: Columns): string[] => [
  `alter table tokens add column space_id ${key}`,
  `alter table tokens add column role ${key}`,
  `alter table tokens add column cause ${position}`,
];
