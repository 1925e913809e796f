import type { Columns } from "../columns.ts";

/** The run whose program has taken a task: its lease lasts for as long as the program does. */
export const up = ({ position }: Columns): string[] => [
  `alter table tasks add column run_id ${position}`,
  "create index tasks_of_runs on tasks (space_id, run_id) where run_id is not null and status = 'processing'",
];
