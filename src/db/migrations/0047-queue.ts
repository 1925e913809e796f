import type { Columns } from "../columns.ts";

/** Lanes are read off the tasks that can be claimed. What a requeue of many left out, and whoever waited for a task without being a trigger: nobody owes them what is long over. */
export const up = ({ position }: Columns): string[] => [
  "drop table task_lanes",
  "drop index tasks_behind",
  "create index tasks_behind on tasks (space_id, concurrency_key, lane, order_key, id) where held_for = 'concurrency'",
  `alter table task_requeues add column left_out ${position} not null default 0`,
  `update task_awaits set consumed_at = ended_at
   where trigger_name is null and ended_at is not null and consumed_at is null`,
];
