import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TaskRow } from "../tables.ts";
import type { RequeueRow } from "./requeues.ts";

type In = { space_id: string };
type Some = In & { limit: number };

/** What a card shows of a task: of long texts only how they begin. */
export type CardRow = Omit<
  TaskRow,
  "sender_id" | "response_summary" | "dedup_key" | "worker_id" | "thread_id" | "relay" | "relay_owed" | "awaited"
>;

const CARD = `id, channel, sender, substr(content, 1, 600) as content, status, substr(error, 1, 400) as error, created_at,
  processed_at, priority, order_key, run_at, held_for, account, lane, concurrency_key, concurrency_limit, slot,
  max_attempts, attempt, refunded, worker, claimed_at, lease_until, cancel_requested_at, cancel_reason, cause, cause_how`;

const ready = statement<Some & { lane: string }, CardRow>(
  `select ${CARD} from tasks
   where space_id = :space_id and lane = :lane and status = 'pending' and held_for is null
   order by order_key, id limit :limit`,
);
/** Of a lane, in the order in which they are given out. */
export const listReady = (db: Reader, args: Some & { lane: string }): Promise<CardRow[]> => db.all(ready, args);

const delayed = statement<Some, CardRow>(
  `select ${CARD} from tasks where space_id = :space_id and held_for = 'delay' order by run_at, id limit :limit`,
);
const behind = statement<Some, CardRow>(
  `select ${CARD} from tasks where space_id = :space_id and held_for = 'concurrency'
   order by concurrency_key, lane, order_key, id limit :limit`,
);
/** Each held for a reason of its own. */
export const listHeld = async (db: Reader, args: Some): Promise<CardRow[]> => [
  ...(await db.all(behind, args)),
  ...(await db.all(delayed, args)),
];

const working = statement<Some, CardRow>(
  `select ${CARD} from tasks where space_id = :space_id and status = 'processing' order by id limit :limit`,
);
export const listWorking = (db: Reader, args: Some): Promise<CardRow[]> => db.all(working, args);

// The first condition is the index's own, word for word: without it the index is not used.
const over = statement<Some, CardRow>(
  `select ${CARD} from tasks
   where space_id = :space_id and status in ('done', 'cancelled', 'dead') and status <> 'dead'
   order by processed_at desc, id desc limit :limit`,
);
/** Done or cancelled, what ended last first. */
export const listOver = (db: Reader, args: Some): Promise<CardRow[]> => db.all(over, args);

const dead = statement<Some, CardRow>(
  `select ${CARD} from tasks where space_id = :space_id and status = 'dead' order by id desc limit :limit`,
);
export const listDeadCards = (db: Reader, args: Some): Promise<CardRow[]> => db.all(dead, args);

const byLane = statement<In, { lane: string; tasks: number }>(
  `select lane, count(*) as tasks from tasks
   where space_id = :space_id and status = 'pending' and held_for is null group by lane`,
);
/** How many could be given out, by lane. */
export const countReady = (db: Reader, space_id: string): Promise<{ lane: string; tasks: number }[]> =>
  db.all(byLane, { space_id });

// One each, so that each is counted in its own index.
const countDelayed = statement<In, { tasks: number }>(
  "select count(*) as tasks from tasks where space_id = :space_id and held_for = 'delay'",
);
const countBehind = statement<In, { tasks: number }>(
  "select count(*) as tasks from tasks where space_id = :space_id and held_for = 'concurrency'",
);
const countWorking = statement<In, { tasks: number }>(
  "select count(*) as tasks from tasks where space_id = :space_id and status = 'processing'",
);
export async function countUnfinished(db: Reader, space_id: string): Promise<{ held: number; working: number }> {
  const [delays, keys, claimed] = await Promise.all([
    db.get(countDelayed, { space_id }),
    db.get(countBehind, { space_id }),
    db.get(countWorking, { space_id }),
  ]);
  return { held: (delays?.tasks ?? 0) + (keys?.tasks ?? 0), working: claimed?.tasks ?? 0 };
}

const ended = statement<In, { status: string; tasks: number }>(
  "select status, sum(tasks) as tasks from task_totals where space_id = :space_id group by status",
);
/** How many are over, by status. */
export const countOver = async (db: Reader, space_id: string): Promise<Map<string, number>> =>
  new Map((await db.all(ended, { space_id })).map(({ status, tasks }) => [status, Number(tasks)]));

// In no order: asked for one, SQLite goes through the whole space by id. There are as many as the key allows at once, for each of its lanes.
const slotted = statement<In & { concurrency_key: string }, Pick<TaskRow, "id">>(
  "select id from tasks where space_id = :space_id and concurrency_key = :concurrency_key and slot = 1",
);
/** Which tasks run under a key, or have their turn. */
export const listSlotted = async (
  db: Reader,
  { limit, ...of }: Some & { concurrency_key: string },
): Promise<number[]> =>
  (await db.all(slotted, of))
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .slice(0, limit);

const underWay = statement<In, RequeueRow>(
  `select id, filter, per_minute, total, requeued, left_out, after_id, started_by, started_at, stopped_at from task_requeues
   where space_id = :space_id and stopped_at is null order by id desc limit 1`,
);
/** The last one begun that goes on. */
export const findRequeueUnderWay = (db: Reader, space_id: string): Promise<RequeueRow | undefined> =>
  db.get(underWay, { space_id });
