import type { Reader, Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";

export interface DueRow {
  space_id: string;
  kind: string;
  ref: number;
  at: string;
}

const insert = statement<DueRow>(
  `insert into due (space_id, kind, ref, at) values (:space_id, :kind, :ref, :at)
   on conflict (space_id, kind, ref) do nothing`,
);

export const insertDue = (tx: Tx, row: DueRow): Promise<number> => tx.run(insert, row);

const before = statement<{ now: string; limit: number }, DueRow>(
  "select space_id, kind, ref, at from due where at <= :now order by at limit :limit",
);

export const listDue = (db: Reader, args: { now: string; limit: number }): Promise<DueRow[]> => db.all(before, args);

const next = statement<Record<string, never>, { at: string }>("select at from due order by at limit 1");

export const findNextDue = async (db: Reader): Promise<string | undefined> => (await db.get(next, {}))?.at;

const remove = statement<{ space_id: string; kind: string; ref: number; now: string }>(
  "delete from due where space_id = :space_id and kind = :kind and ref = :ref and at <= :now",
);

/** True for exactly one of those who try. */
export const takeDue = async (
  tx: Tx,
  { kind, ref, now }: { kind: string; ref: number; now: string },
): Promise<boolean> => (await tx.run(remove, { space_id: tx.space_id, kind, ref, now })) === 1;

const cancel = statement<{ space_id: string; kind: string; ref: number }>(
  "delete from due where space_id = :space_id and kind = :kind and ref = :ref",
);

export const deleteDue = (tx: Tx, { kind, ref }: { kind: string; ref: number }): Promise<number> =>
  tx.run(cancel, { space_id: tx.space_id, kind, ref });
