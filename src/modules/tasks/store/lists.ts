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

const firstPending = statement<In, { id: number }>(
  "select id from tasks where space_id = :space_id and status = 'pending' order by id limit 1",
);
export const findOldestPending = async (db: Reader, space_id: string): Promise<number | undefined> =>
  (await db.get(firstPending, { space_id }))?.id;

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
/** When a lease ends or a delay is over, whichever is first. */
export async function findNextSweep(tx: Tx): Promise<string | undefined> {
  const { space_id } = tx;
  const times = [await tx.get(firstLease, { space_id }), await tx.get(firstDelay, { space_id })];
  return times.flatMap((row) => row?.at ?? []).sort()[0];
}

// Not a count: what names the rows is known to be true still when a task with another key was added.
const slots = statement<In & { concurrency_key: string }, { id: number }>(
  `select id from tasks where space_id = :space_id and concurrency_key = :concurrency_key and slot = 1`,
);
/** How many tasks with this key run, or may be claimed. */
export const countSlots = async (tx: Tx, concurrency_key: string): Promise<number> =>
  (await tx.all(slots, { space_id: tx.space_id, concurrency_key })).length;

const behind = statement<In & { concurrency_key: string }, TaskRow>(
  `select ${TASK} from tasks
   where space_id = :space_id and concurrency_key = :concurrency_key and held_for = 'concurrency'
   order by order_key, id limit 1`,
);
/** The next that waits for a place under this key. */
export const findBehind = (tx: Tx, concurrency_key: string): Promise<TaskRow | undefined> =>
  tx.get(behind, { space_id: tx.space_id, concurrency_key });
