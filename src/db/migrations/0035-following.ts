import type { Columns } from "../columns.ts";

/** Of what an agent follows: whether it was there when its runtime last looked, and which start of it follows it. */
export const up = ({ position }: Columns): string[] => [
  `alter table subscriptions add column is_present ${position} not null default 1`,
  `alter table subscriptions add column active_fence ${position}`,
];
