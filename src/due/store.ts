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

const before = statement<DueRow & { now: string; limit: number }, DueRow>(
  `select space_id, kind, ref, at from due
   where at <= :now and (at, space_id, kind, ref) > (:at, :space_id, :kind, :ref)
   order by at, space_id, kind, ref limit :limit`,
);
const FIRST: DueRow = { at: "", space_id: "", kind: "", ref: 0 };

/** The earliest first; behind `after`, where there is one. */
export const listDue = (
  db: Reader,
  { now, limit, after = FIRST }: { now: string; limit: number; after: DueRow | undefined },
): Promise<DueRow[]> => db.all(before, { ...after, now, limit });

const next = statement<{ after: string }, { at: string }>("select at from due where at > :after order by at limit 1");

export const findNextDue = async (db: Reader, args: { after: string }): Promise<string | undefined> =>
  (await db.get(next, args))?.at;

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

const cancelKind = statement<{ space_id: string; kind: string }>(
  "delete from due where space_id = :space_id and kind = :kind",
);

export const deleteDueOfKind = (tx: Tx, kind: string): Promise<number> =>
  tx.run(cancelKind, { space_id: tx.space_id, kind });
