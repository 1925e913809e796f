import type { Columns } from "../columns.ts";

/** The task queue: tasks, their attempts, who waits for them, what workers offer, and what holds tasks back. */
export const up = ({ key, time, text, position, clustered }: Columns): string[] => [
  `create table tasks (
    space_id ${key} not null,
    id ${position} not null,
    channel ${key} not null,
    sender ${key},
    sender_id ${key} not null,
    content ${text} not null,
    status ${key} not null,
    response_summary ${text},
    error ${text},
    created_at ${time} not null,
    processed_at ${time},
    priority ${position} not null,
    order_key ${position} not null,
    run_at ${time},
    held_for ${key},
    account ${key} not null,
    lane ${key} not null,
    dedup_key ${key},
    concurrency_key ${key},
    concurrency_limit ${position},
    slot ${position},
    max_attempts ${position} not null,
    attempt ${position} not null,
    refunded ${position} not null,
    worker_id ${key},
    worker ${key},
    claimed_at ${time},
    lease_until ${time},
    cancel_requested_at ${time},
    cancel_reason ${text},
    thread_id ${position},
    relay ${key},
    relay_owed ${position},
    awaited ${position} not null,
    cause ${position},
    cause_how ${key},
    primary key (space_id, id)
  )`,
  // What can be claimed, and nothing else: a claim costs the same whatever lies finished or held beside it.
  "create index tasks_ready on tasks (space_id, lane, order_key, id) where status = 'pending' and held_for is null",
  "create index tasks_delayed on tasks (space_id, run_at, id) where held_for = 'delay'",
  "create index tasks_behind on tasks (space_id, concurrency_key, order_key, id) where held_for = 'concurrency'",
  "create index tasks_slots on tasks (space_id, concurrency_key) where slot = 1",
  "create index tasks_leased on tasks (space_id, lease_until, id) where status = 'processing'",
  "create index tasks_held_by on tasks (space_id, worker_id, id) where status = 'processing'",
  "create unique index tasks_dedup on tasks (space_id, dedup_key) where dedup_key is not null and status in ('pending', 'processing')",
  "create index tasks_listed on tasks (space_id, status, id)",
  "create index tasks_ended on tasks (space_id, processed_at, id) where status in ('done', 'cancelled', 'dead')",

  // An attempt that is over. The one that is under way stands in the task itself.
  `create table task_attempts (
    space_id ${key} not null,
    task_id ${position} not null,
    attempt ${position} not null,
    worker_id ${key} not null,
    worker ${key} not null,
    claimed_at ${time} not null,
    ended_at ${time} not null,
    outcome ${key} not null,
    error ${text},
    primary key (space_id, task_id, attempt)
  )${clustered}`,

  // Of tasks that are over, how many there are: so that nobody has to count a million.
  `create table task_totals (
    space_id ${key} not null,
    status ${key} not null,
    channel ${key} not null,
    tasks ${position} not null,
    primary key (space_id, status, channel)
  )${clustered}`,

  `create table task_awaits (
    space_id ${key} not null,
    id ${position} not null,
    task_id ${position} not null,
    waiter_id ${key} not null,
    waiter ${key} not null,
    trigger_name ${key},
    session_key ${key},
    registered_at ${time} not null,
    status ${key},
    attempt ${position},
    ended_at ${time},
    offered_at ${time},
    offered_by ${key},
    offers ${position} not null,
    filed ${position},
    filed_in ${key},
    consumed_at ${time},
    primary key (space_id, id)
  )`,
  "create unique index task_awaits_of on task_awaits (space_id, task_id, waiter_id)",
  "create index task_awaits_owed on task_awaits (space_id, ended_at, id) where ended_at is not null and consumed_at is null",

  // Sets of needs for which there ever was a task, by account: what a worker has to look through.
  `create table task_lanes (
    space_id ${key} not null,
    lane ${key} not null,
    primary key (space_id, lane)
  )${clustered}`,

  `create table task_workers (
    space_id ${key} not null,
    principal_id ${key} not null,
    offers ${key} not null,
    seen_at ${time} not null,
    primary key (space_id, principal_id)
  )${clustered}`,

  `create table task_throttles (
    space_id ${key} not null,
    account ${key} not null,
    throttled_until ${time} not null,
    reported_by ${key} not null,
    reported_at ${time} not null,
    ignored_at ${time},
    primary key (space_id, account)
  )${clustered}`,

  `create table task_budgets (
    space_id ${key} not null,
    id ${position} not null,
    scope ${key} not null,
    name ${key} not null,
    tasks_per_day ${position},
    runs_per_day ${position},
    cost_per_day ${position},
    day ${key} not null,
    tasks ${position} not null,
    runs ${position} not null,
    cost ${position} not null,
    allowed ${position} not null,
    primary key (space_id, scope, name)
  )${clustered}`,

  `create table task_requeues (
    space_id ${key} not null,
    id ${position} not null,
    filter ${text} not null,
    per_minute ${position} not null,
    total ${position} not null,
    requeued ${position} not null,
    after_id ${position} not null,
    started_by ${key} not null,
    started_at ${time} not null,
    stopped_at ${time},
    primary key (space_id, id)
  )${clustered}`,
];
