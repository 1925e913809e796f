import type { Database, Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TaskRow } from "../tables.ts";

export const TASK = `id, channel, sender, sender_id, content, status, response_summary, error, created_at, processed_at,
  priority, order_key, run_at, held_for, account, lane, dedup_key, concurrency_key, concurrency_limit, slot,
  max_attempts, attempt, refunded, worker_id, worker, run_id, claimed_at, lease_until, cancel_requested_at, cancel_reason,
  thread_id, relay, relay_owed, awaited, plan_task_id, cause, cause_how`;

type In = { space_id: string };
type One = In & { id: number };

const insert = statement<TaskRow & In>(
  `insert into tasks (space_id, id, channel, sender, sender_id, content, status, response_summary, error, created_at,
   processed_at, priority, order_key, run_at, held_for, account, lane, dedup_key, concurrency_key, concurrency_limit, slot,
   max_attempts, attempt, refunded, worker_id, worker, run_id, claimed_at, lease_until, cancel_requested_at, cancel_reason,
   thread_id, relay, relay_owed, awaited, plan_task_id, cause, cause_how)
   values (:space_id, :id, :channel, :sender, :sender_id, :content, :status, :response_summary, :error, :created_at,
   :processed_at, :priority, :order_key, :run_at, :held_for, :account, :lane, :dedup_key, :concurrency_key,
   :concurrency_limit, :slot, :max_attempts, :attempt, :refunded, :worker_id, :worker, :run_id, :claimed_at, :lease_until,
   :cancel_requested_at, :cancel_reason, :thread_id, :relay, :relay_owed, :awaited, :plan_task_id, :cause, :cause_how)`,
);
export const insertTask = (tx: Tx, row: TaskRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const find = statement<One, TaskRow>(`select ${TASK} from tasks where space_id = :space_id and id = :id`);
export const findTask = (db: Reader, args: One): Promise<TaskRow | undefined> => db.get(find, args);

const live = statement<In & { dedup_key: string }, TaskRow>(
  `select ${TASK} from tasks
   where space_id = :space_id and dedup_key = :dedup_key and status in ('pending', 'processing')`,
);
export const findLive = (tx: Tx, dedup_key: string): Promise<TaskRow | undefined> =>
  tx.get(live, { space_id: tx.space_id, dedup_key });

const active = statement<In & { worker_id: string }, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and worker_id = :worker_id and status = 'processing'
   order by id limit 1`,
);
/** The task that somebody works on. */
export const findActive = (db: Reader, args: In & { worker_id: string }): Promise<TaskRow | undefined> =>
  db.get(active, args);

/** Said twice: the two databases have no common word for what is in a list. */
const busy = (list: string): string =>
  `select worker_id from tasks where space_id = :space_id and worker_id in (${list}) and status = 'processing'`;

const among = statement<In & { workers: string }, { worker_id: string }>(
  busy("select value from json_each(:workers)"),
  busy("select json_array_elements_text(cast(:workers as json))"),
);
/** Which of these work on a task. */
export const listBusy = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (await tx.all(among, { space_id: tx.space_id, workers: JSON.stringify(workers) })).map(({ worker_id }) => worker_id);

type Lane = In & { lane: string; limit: number };
export type NextRow = Pick<TaskRow, "id" | "order_key" | "concurrency_key">;

const nextOf = (columns: string): string =>
  `select ${columns} from tasks
   where space_id = :space_id and lane = :lane and status = 'pending' and held_for is null
   order by order_key, id limit :limit`;

const next = statement<Lane, NextRow>(nextOf("id, order_key, concurrency_key"));
/** Which of a lane are next. */
export const listNext = (db: Reader, args: Lane): Promise<NextRow[]> => db.all(next, args);

const nextWhole = statement<Lane, TaskRow>(nextOf(TASK));
/** The same, with all there is to them. */
export const listNextTasks = (tx: Tx, args: Omit<Lane, "space_id">): Promise<TaskRow[]> =>
  tx.all(nextWhole, { ...args, space_id: tx.space_id });

type Claim = One & Pick<TaskRow, "attempt" | "worker_id" | "worker" | "run_id" | "claimed_at" | "lease_until">;

const claim = statement<Claim>(
  `update tasks set status = 'processing', attempt = :attempt, worker_id = :worker_id, worker = :worker,
   run_id = :run_id, claimed_at = :claimed_at, lease_until = :lease_until
   where space_id = :space_id and id = :id and worker_id is null`,
);
export const claimTask = (tx: Tx, row: Omit<Claim, "space_id">): Promise<void> =>
  tx.run(claim, { ...row, space_id: tx.space_id });

type Waiting = One & Pick<TaskRow, "run_at" | "held_for" | "slot" | "error" | "refunded" | "max_attempts">;

const wait = statement<Waiting>(
  `update tasks set status = 'pending', run_at = :run_at, held_for = :held_for, slot = :slot, error = :error,
   refunded = :refunded, max_attempts = :max_attempts, worker_id = null, worker = null, run_id = null, claimed_at = null, lease_until = null,
   processed_at = null, response_summary = null, relay_owed = null where space_id = :space_id and id = :id`,
);
/** It waits, for its first attempt or for another one. */
export const saveWaiting = (
  tx: Tx,
  { id, run_at, held_for, slot, error, refunded, max_attempts }: TaskRow,
): Promise<void> => tx.run(wait, { id, run_at, held_for, slot, error, refunded, max_attempts, space_id: tx.space_id });

type Ended = One & Pick<TaskRow, "status" | "response_summary" | "error" | "processed_at" | "relay_owed">;

const END = `update tasks set status = :status, response_summary = :response_summary, error = :error,
   processed_at = :processed_at, relay_owed = :relay_owed, held_for = null, slot = null, lease_until = null
   where space_id = :space_id and id = :id`;
const end = statement<Ended>(END);
// With its worker, so that it is known to change nothing for others.
const endOf = statement<Ended & { worker_id: string }>(`${END} and worker_id = :worker_id`);
export const endTask = (
  tx: Tx,
  { id, status, response_summary, error, processed_at, relay_owed, worker_id }: TaskRow,
): Promise<void> => {
  const ended = { id, status, response_summary, error, processed_at, relay_owed, space_id: tx.space_id };
  return worker_id === null ? tx.run(end, ended) : tx.run(endOf, { ...ended, worker_id });
};

const rewrite = statement<One & { content: string }>(
  "update tasks set content = :content where space_id = :space_id and id = :id",
);
export const updateContent = (tx: Tx, args: { id: number; content: string }): Promise<void> =>
  tx.run(rewrite, { ...args, space_id: tx.space_id });

const askToCancel = statement<One & Pick<TaskRow, "cancel_requested_at" | "cancel_reason">>(
  `update tasks set cancel_requested_at = :cancel_requested_at, cancel_reason = :cancel_reason
   where space_id = :space_id and id = :id`,
);
export const requestCancel = (
  tx: Tx,
  args: { id: number } & Pick<TaskRow, "cancel_requested_at" | "cancel_reason">,
): Promise<void> => tx.run(askToCancel, { ...args, space_id: tx.space_id });

const renew = statement<One & { attempt: number; worker_id: string; lease_until: string }>(
  `update tasks set lease_until = :lease_until
   where space_id = :space_id and id = :id and attempt = :attempt and worker_id = :worker_id and status = 'processing'`,
);
/** By itself: a lease is nothing that others are told of. */
export const renewLease = (
  database: Database,
  args: One & { attempt: number; worker_id: string; lease_until: string },
): Promise<number> => database.compareAndSet(renew, args);

type OfRun = In & { run_id: number };

const renewAll = statement<OfRun & { lease_until: string; before: string }>(
  `update tasks set lease_until = :lease_until
   where space_id = :space_id and run_id = :run_id and status = 'processing' and lease_until < :before`,
);
/** The lease of what a run's program has, where it ends before then. */
export const renewOfRun = (
  database: Database,
  args: OfRun & { lease_until: string; before: string },
): Promise<number> => database.compareAndSet(renewAll, args);

export const holdOfRun = (tx: Tx, { run_id, lease_until }: { run_id: number; lease_until: string }): Promise<void> =>
  tx.run(renewAll, { space_id: tx.space_id, run_id, lease_until, before: lease_until });

const ofRun = statement<OfRun, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and run_id = :run_id and status = 'processing' order by id`,
);
/** What a run's program has taken and not ended. */
export const listOfRun = (tx: Tx, run_id: number): Promise<TaskRow[]> =>
  tx.all(ofRun, { space_id: tx.space_id, run_id });

const hand = statement<One>("update tasks set relay_owed = null where space_id = :space_id and id = :id");
export const noteRelayed = (tx: Tx, id: number): Promise<void> => tx.run(hand, { id, space_id: tx.space_id });

const oneMore = statement<One>("update tasks set awaited = awaited + 1 where space_id = :space_id and id = :id");
/** One more waits for it. */
export const countAwait = (tx: Tx, id: number): Promise<void> => tx.run(oneMore, { id, space_id: tx.space_id });
