import type { Columns } from "../columns.ts";

/** Each session of a trigger waits for itself; a run may tell its session of several ends. */
export const up = ({ key, position, text }: Columns): string[] => [
  "drop index task_awaits_of",
  `create unique index task_awaits_of on task_awaits
   (space_id, task_id, waiter_id, coalesce(trigger_name, ''), coalesce(session_key, ''), coalesce(run_id, 0))`,

  `create table run_wakes (
    space_id ${key} not null,
    run_id ${position} not null,
    wake_id ${position} not null,
    wake_attempt ${position} not null,
    waited_in ${position} not null,
    told ${text} not null,
    primary key (space_id, wake_id, wake_attempt, run_id)
  )`,
  "create index run_wakes_of on run_wakes (space_id, run_id, wake_id)",
  `insert into run_wakes (space_id, run_id, wake_id, wake_attempt, waited_in, told)
   select space_id, id, wake_id, wake_attempt, 0, prompt from runs where wake_id is not null`,
  "drop index runs_wake",
  "alter table runs drop column wake_id",
  "alter table runs drop column wake_attempt",
];
