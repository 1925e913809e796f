import type { Database, Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type In = { space_id: string };

// From one lane to the next in the index of what can be claimed: it costs as much as there are lanes, not tasks.
const list = statement<In, { lane: string }>(
  `select l.lane from (
     with recursive found(lane) as (
       select (select t.lane from tasks t where t.space_id = :space_id and t.status = 'pending' and t.held_for is null
         order by t.lane limit 1)
       union all
       select (select t.lane from tasks t where t.space_id = :space_id and t.status = 'pending' and t.held_for is null
         and t.lane > f.lane order by t.lane limit 1) from found f where f.lane is not null
     ) select lane from found
   ) as l where l.lane is not null`,
);
/** In which something can be claimed. */
export const listLanes = async (db: Reader, space_id: string): Promise<string[]> =>
  (await db.all(list, { space_id })).map(({ lane }) => lane);

type OfSender = In & { sender_id: string; limit: number };

const OF_SENDER = `select t.lane from tasks t where t.space_id = :space_id and t.sender_id = :sender_id
   and t.status = 'pending' and t.lane <> 'default'`;
const ofSender = statement<OfSender, { lane: string }>(
  `select l.lane from (
     with recursive found(lane) as (
       select (${OF_SENDER} order by t.lane limit 1)
       union all
       select (${OF_SENDER} and t.lane > f.lane order by t.lane limit 1) from found f where f.lane is not null
     ) select lane from found
   ) as l where l.lane is not null limit :limit`,
);
/** In which tasks of somebody wait, held back or not, beside those that need nothing in particular. */
export const listLanesOf = async (db: Reader, args: OfSender): Promise<string[]> =>
  (await db.all(ofSender, args)).map(({ lane }) => lane);

const working = statement<Record<string, never>, { id: string }>(
  `select s.id from spaces s where s.emptied_at is null and exists (select 1 from tasks t where t.space_id = s.id
   and t.status = 'pending' and t.held_for is null)`,
);
export const listSpacesWithWork = async (db: Reader): Promise<string[]> =>
  (await db.all(working, {})).map(({ id }) => id);

type WorkerRow = { principal_id: string; offers: string; seen_at: string };

const worker = statement<In & { principal_id: string }, WorkerRow>(
  `select principal_id, offers, seen_at from task_workers
   where space_id = :space_id and principal_id = :principal_id`,
);
export const findWorker = (db: Reader, args: In & { principal_id: string }): Promise<WorkerRow | undefined> =>
  db.get(worker, args);

const save = statement<In & WorkerRow>(
  `insert into task_workers (space_id, principal_id, offers, seen_at)
   values (:space_id, :principal_id, :offers, :seen_at)
   on conflict (space_id, principal_id) do update set offers = excluded.offers, seen_at = excluded.seen_at`,
);
export const saveWorker = (database: Database, row: In & WorkerRow): Promise<number> =>
  database.compareAndSet(save, row);

type Present = In & { seen_after: string; now: string };

const removeWorkers = statement<In & { before: string }>(
  "delete from task_workers where space_id = :space_id and seen_at < :before",
);
export const deleteWorkersBefore = (tx: Tx, before: string): Promise<void> =>
  tx.run(removeWorkers, { before, space_id: tx.space_id });

const offers = statement<Present, { offers: string }>(
  `select w.offers from task_workers w where w.space_id = :space_id and (w.seen_at > :seen_after
   or exists (select 1 from tasks t where t.space_id = w.space_id and t.worker_id = w.principal_id
     and t.status = 'processing' and t.lease_until > :now))`,
);
/** What each worker offers that was seen since, or has the lease of a task. */
export const listOffers = async (db: Reader, args: Present): Promise<string[][]> =>
  (await db.all(offers, args)).map(({ offers }) => offers.split(" "));

export type ThrottleRow = {
  account: string;
  throttled_until: string;
  reported_by: string;
  reported_at: string;
  /** Since then nobody's word counts for this account. */
  ignored_at: string | null;
};

const throttles = statement<In, ThrottleRow>(
  `select account, throttled_until, reported_by, reported_at, ignored_at from task_throttles
   where space_id = :space_id`,
);
export const listThrottles = (db: Reader, space_id: string): Promise<ThrottleRow[]> => db.all(throttles, { space_id });

const saveOne = statement<In & ThrottleRow>(
  `insert into task_throttles (space_id, account, throttled_until, reported_by, reported_at, ignored_at)
   values (:space_id, :account, :throttled_until, :reported_by, :reported_at, :ignored_at)
   on conflict (space_id, account) do update set throttled_until = excluded.throttled_until,
   reported_by = excluded.reported_by, reported_at = excluded.reported_at, ignored_at = excluded.ignored_at`,
);
export const saveThrottle = (tx: Tx, row: ThrottleRow): Promise<void> =>
  tx.run(saveOne, { ...row, space_id: tx.space_id });

const removeOne = statement<In & { account: string }>(
  "delete from task_throttles where space_id = :space_id and account = :account",
);
export const deleteThrottle = (tx: Tx, account: string): Promise<void> =>
  tx.run(removeOne, { account, space_id: tx.space_id });
