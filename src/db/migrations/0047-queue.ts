import type { Columns } from "../columns.ts";

/** What a requeue of many left out. */
export const up = ({ position }: Columns): string[] => [
  `alter table task_requeues add column left_out ${position} not null default 0`,
];
