import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Status } from "../schema.ts";
import type { TaskRow } from "../tables.ts";
import { TASK } from "./tasks.ts";

type In = { space_id: string };
type Page = In & { status: Status; channel: string | null; cursor: number; limit: number };

const oldest = statement<Page, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and status = :status and id > :cursor
   and (cast(:channel as text) is null or channel = :channel) order by id limit :limit`,
);
const newest = statement<Page, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and status = :status and id < :cursor
   and (cast(:channel as text) is null or channel = :channel) order by id desc limit :limit`,
);
export const listOldest = (db: Reader, page: Page): Promise<TaskRow[]> => db.all(oldest, page);
export const listNewest = (db: Reader, page: Page): Promise<TaskRow[]> => db.all(newest, page);

type Found = Pick<TaskRow, "id" | "status" | "channel" | "sender">;

const before = statement<In & { before_id: number; limit: number }, Found>(
  `select id, status, channel, sender from tasks where space_id = :space_id and id < :before_id
   order by id desc limit :limit`,
);
export const listBefore = (db: Reader, page: In & { before_id: number; limit: number }): Promise<Found[]> =>
  db.all(before, page);

const firstPending = statement<In, { id: number }>(
  "select id from tasks where space_id = :space_id and status = 'pending' order by id limit 1",
);
export const findOldestPending = async (db: Reader, space_id: string): Promise<number | undefined> =>
  (await db.get(firstPending, { space_id }))?.id;

const anyReady = statement<In, { found: number }>(
  "select 1 as found from tasks where space_id = :space_id and status = 'pending' and held_for is null limit 1",
);
export const hasReady = async (db: Reader, space_id: string): Promise<boolean> =>
  (await db.get(anyReady, { space_id })) !== undefined;

type Due = In & { now: string; limit: number };

const expired = statement<Due, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and status = 'processing' and lease_until <= :now
   order by lease_until, id limit :limit`,
);
/** Whose lease has run out. */
export const listExpired = (tx: Tx, args: { now: string; limit: number }): Promise<TaskRow[]> =>
  tx.all(expired, { ...args, space_id: tx.space_id });

const delayed = statement<Due, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and held_for = 'delay' and run_at <= :now
   order by run_at, id limit :limit`,
);
/** Whose time has come. */
export const listDelayed = (tx: Tx, args: { now: string; limit: number }): Promise<TaskRow[]> =>
  tx.all(delayed, { ...args, space_id: tx.space_id });

const firstLease = statement<In, { at: string }>(
  `select lease_until as at from tasks where space_id = :space_id and status = 'processing' order by lease_until limit 1`,
);
const firstDelay = statement<In, { at: string }>(
  "select run_at as at from tasks where space_id = :space_id and held_for = 'delay' order by run_at limit 1",
);
const firstQuota = statement<In & { now: string }, { at: string }>(
  `select throttled_until as at from task_throttles
   where space_id = :space_id and throttled_until > :now and ignored_at is null order by throttled_until limit 1`,
);
const used = statement<In, { day: string }>("select day from task_budgets where space_id = :space_id limit 1");
/** When a lease, a delay or a quota ends, or where there are budgets the day, whichever is first. */
export async function findNextSweep(tx: Tx, now: string): Promise<string | undefined> {
  const { space_id } = tx;
  const [lease, delay, quota, budget] = await Promise.all([
    tx.get(firstLease, { space_id }),
    tx.get(firstDelay, { space_id }),
    tx.get(firstQuota, { space_id, now }),
    tx.get(used, { space_id }),
  ]);
  const midnight = budget && new Date(Date.parse(now.slice(0, 10)) + DAY_MS).toISOString();
  return [lease?.at, delay?.at, quota?.at, midnight].filter((at) => at !== undefined).sort()[0];
}

const DAY_MS = 86_400_000;

type Behind = { concurrency_key: string; after_lane: string };

const behind = statement<In & Behind, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and concurrency_key = :concurrency_key
   and held_for = 'concurrency' and lane > :after_lane order by lane, order_key, id limit 1`,
);
/** Of the next lane in which some wait for their turn under this key, the first. */
export const findBehind = (tx: Tx, args: Behind): Promise<TaskRow | undefined> =>
  tx.get(behind, { ...args, space_id: tx.space_id });

type BehindIn = { concurrency_key: string; lane: string };

const behindIn = statement<In & BehindIn, TaskRow>(
  `select ${TASK} from tasks where space_id = :space_id and concurrency_key = :concurrency_key
   and held_for = 'concurrency' and lane = :lane order by order_key, id limit 1`,
);
/** The same of one lane. */
export const findBehindIn = (tx: Tx, args: BehindIn): Promise<TaskRow | undefined> =>
  tx.get(behindIn, { ...args, space_id: tx.space_id });

type Ended = Pick<TaskRow, "id" | "status" | "channel">;

const old = statement<In & { before: string; limit: number }, Ended>(
  `select id, status, channel from tasks where space_id = :space_id and processed_at < :before
   and status in ('done', 'cancelled', 'dead') and relay_owed is null
   and not exists (select 1 from task_awaits a where a.space_id = tasks.space_id and a.task_id = tasks.id
     and a.ended_at is not null and a.consumed_at is null)
   order by processed_at, id limit :limit`,
);
/** What has been over since before then, and was handed to whoever is to have it. */
export const listOld = (tx: Tx, args: { before: string; limit: number }): Promise<Ended[]> =>
  tx.all(old, { ...args, space_id: tx.space_id });

const firstEnded = statement<In, { processed_at: string }>(
  `select processed_at from tasks where space_id = :space_id and status in ('done', 'cancelled', 'dead')
   order by processed_at limit 1`,
);
export const findFirstEnded = async (tx: Tx): Promise<string | undefined> =>
  (await tx.get(firstEnded, { space_id: tx.space_id }))?.processed_at;

const removals = [
  "tasks where space_id = :space_id and id = :id",
  ...["task_attempts", "task_awaits"].map((table) => `${table} where space_id = :space_id and task_id = :id`),
].map((which) => statement<In & { id: number }>(`delete from ${which}`));
export async function deleteTasks(tx: Tx, ids: readonly number[]): Promise<void> {
  const rows = ids.map((id) => ({ id, space_id: tx.space_id }));
  for (const removal of removals) await tx.runAll(removal, rows);
}

/** With the task that lives under the same dedup key. */
export type DeadRow = TaskRow & { living_id: number | null };

const dead = statement<In & { after_id: number; limit: number }, DeadRow>(
  `select ${TASK}, (select l.id from tasks l where l.space_id = tasks.space_id and l.dedup_key = tasks.dedup_key
     and l.status in ('pending', 'processing')) as living_id
   from tasks where space_id = :space_id and status = 'dead' and id > :after_id order by id limit :limit`,
);
export const listDead = (db: Reader, args: In & { after_id: number; limit: number }): Promise<DeadRow[]> =>
  db.all(dead, args);
