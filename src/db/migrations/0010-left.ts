import type { Columns } from "../columns.ts";

/** Sessions that said that they have ended, and agents whose last one did. */
export const up = ({ time }: Columns): string[] => [
  `alter table agents add column left_at ${time}`,
  `alter table agent_sessions add column left_at ${time}`,
];
