import type { Columns } from "../columns.ts";

/** The session that waits for a task, by its run; the run that tells it of the end; the principal that a trigger is. */
export const up = ({ key, position }: Columns): string[] => [
  `alter table task_awaits add column run_id ${position}`,
  `alter table runs add column wake_id ${position}`,
  `alter table runs add column wake_attempt ${position}`,
  "create index runs_wake on runs (space_id, wake_id) where wake_id is not null",
  `alter table triggers add column principal_id ${key}`,
];
