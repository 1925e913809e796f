import type { Database, Reader, Tx } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";

export type WaitState = "working" | "completed" | "cancelled";

export interface Owner {
  space_id: string;
  principal_id: string;
  /** The agent an orchestrator acts for, else empty. */
  acting: string;
}

/** A question that is asked again and again until it has an answer. */
export interface WaitRow extends Owner {
  id: string;
  tool: string;
  arguments: string;
  /** A later wait under the same name takes its place. */
  place: string | null;
  state: WaitState;
  /** Whether a form is to be shown to whoever sits there, or was; null where there is none, or it is through. */
  form: "due" | "shown" | null;
  result: string | null;
  created_at: string;
  /** While it is waited for when it was asked for last, then when it ended. */
  touched_at: string;
}

const find = statement<{ id: string }, WaitRow>(
  `select id, space_id, principal_id, acting, tool, arguments, place, state, form, result, created_at, touched_at
   from waits where id = :id`,
);
export const findWait = (db: Reader, id: string): Promise<WaitRow | undefined> => db.get(find, { id });

const insert = statement<WaitRow>(
  `insert into waits (id, space_id, principal_id, acting, tool, arguments, place, state, form, result, created_at,
   touched_at)
   values (:id, :space_id, :principal_id, :acting, :tool, :arguments, :place, :state, :form, :result, :created_at,
   :touched_at)`,
);
export const insertWait = (tx: Tx, row: WaitRow): Promise<void> => tx.run(insert, row);

type WaitSlot = Owner & { tool: string; place: string };

const inPlace = statement<WaitSlot, { id: string }>(
  `select id from waits where space_id = :space_id and principal_id = :principal_id and acting = :acting
   and tool = :tool and place = :place and state = 'working'`,
);
export const listInPlace = async (db: Reader, place: WaitSlot): Promise<string[]> =>
  (await db.all(inPlace, place)).map(({ id }) => id);

const count = statement<{ space_id: string; principal_id: string }, { count: number }>(
  "select count(*) as count from waits where space_id = :space_id and principal_id = :principal_id and state = 'working'",
);
export const countWorking = async (db: Reader, { space_id, principal_id }: Owner): Promise<number> =>
  (await db.get(count, { space_id, principal_id }))?.count ?? 0;

interface Ending {
  id: string;
  state: WaitState;
  result: string | null;
  now: string;
}

const end = statement<Ending>(
  "update waits set state = :state, result = :result, touched_at = :now where id = :id and state = 'working'",
);
/** The first one who sees an end: nobody ends it twice. */
export const endWait = (database: Database, ending: Ending): Promise<number> => database.compareAndSet(end, ending);
export const endWaitIn = (tx: Tx, ending: Ending): Promise<void> => tx.run(end, ending);

const touch = statement<{ id: string; now: string }>(
  "update waits set touched_at = :now where id = :id and state = 'working' and touched_at < :now",
);
export const touchWait = (database: Database, args: { id: string; now: string }): Promise<number> =>
  database.compareAndSet(touch, args);

const form = statement<{ id: string; form: WaitRow["form"]; before: WaitRow["form"] }>(
  "update waits set form = :form where id = :id and form = :before",
);
export const saveForm = (
  database: Database,
  args: { id: string; form: WaitRow["form"]; before: WaitRow["form"] },
): Promise<number> => database.compareAndSet(form, args);

type Old = { space_id: string; before: string; now: string };

const cancelOld = statement<Old>(
  `update waits set state = 'cancelled', touched_at = :now
   where space_id = :space_id and state = 'working' and touched_at <= :before`,
);
export const cancelUnpolled = (tx: Tx, args: { before: string; now: string }): Promise<void> =>
  tx.run(cancelOld, { ...args, space_id: tx.space_id });

const ENDED = ["completed", "cancelled"] as const;
type Ended = { space_id: string; state: (typeof ENDED)[number] };

const firstEnd = statement<Ended, { touched_at: string }>(
  "select touched_at from waits where space_id = :space_id and state = :state order by touched_at limit 1",
);
export async function findOldestEnd(tx: Tx): Promise<string | undefined> {
  const first = await Promise.all(ENDED.map((state) => tx.get(firstEnd, { space_id: tx.space_id, state })));
  return first.flatMap((row) => row?.touched_at ?? []).sort()[0];
}

const lastOfOldest = statement<Ended & { before: string; limit: number }, { touched_at: string | null }>(
  `select max(touched_at) as touched_at from (select touched_at from waits
   where space_id = :space_id and state = :state and touched_at <= :before order by touched_at limit :limit) as slice`,
);

const deleteUpTo = statement<Ended & { up_to: string }>(
  "delete from waits where space_id = :space_id and state = :state and touched_at <= :up_to",
);
/** At most about so many of each state: those of one moment go together. */
export async function deleteEnded(tx: Tx, { before, limit }: { before: string; limit: number }): Promise<void> {
  for (const state of ENDED) {
    const where = { space_id: tx.space_id, state };
    const slice = await tx.get(lastOfOldest, { ...where, before, limit });
    if (slice?.touched_at) await tx.run(deleteUpTo, { ...where, up_to: slice.touched_at });
  }
}

const any = statement<{ space_id: string }, { id: string }>("select id from waits where space_id = :space_id limit 1");
export const hasWaits = async (tx: Tx): Promise<boolean> =>
  (await tx.get(any, { space_id: tx.space_id })) !== undefined;
