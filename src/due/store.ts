import type { Database, Reader, Tx } from "../db/database.ts";
import { type Statement, statement } from "../db/statement.ts";

export interface DueRow {
  space_id: string;
  kind: string;
  ref: number;
  at: string;
  /** JSON. */
  payload: string | null;
  /** How often it has failed. */
  attempt: number;
}

const insert = statement<DueRow>(
  `insert into due (space_id, kind, ref, at, payload, attempt)
   values (:space_id, :kind, :ref, :at, :payload, :attempt)
   on conflict (space_id, kind, ref) do nothing`,
);

export const insertDue = (tx: Tx, row: DueRow): Promise<void> => tx.run(insert, row);

const upsert = statement<DueRow>(
  `insert into due (space_id, kind, ref, at, payload, attempt)
   values (:space_id, :kind, :ref, :at, :payload, :attempt)
   on conflict (space_id, kind, ref)
   do update set at = excluded.at, payload = excluded.payload, attempt = excluded.attempt`,
);

export const saveDue = (tx: Tx, row: DueRow): Promise<void> => tx.run(upsert, row);

const earlier = statement<DueRow>(
  `insert into due (space_id, kind, ref, at, payload, attempt)
   values (:space_id, :kind, :ref, :at, :payload, :attempt)
   on conflict (space_id, kind, ref) do update set at = excluded.at where due.at > excluded.at`,
);

export const saveEarlier = (tx: Tx, row: DueRow): Promise<void> => tx.run(earlier, row);

const times = new Map<string, Statement<Record<string, never>, { kind: string; at: string | null }>>();

/** When the earliest row of each of these kinds is due, which are written in the program: a look at the index for each. */
export async function listEarliest(
  db: Reader,
  kinds: readonly string[],
): Promise<{ kind: string; at: string | null }[]> {
  if (kinds.length === 0) return [];
  const listed = kinds.map((kind) => `select '${kind}' as kind`).join(" union all ");
  const known = times.get(listed);
  const made =
    known ??
    statement<Record<string, never>, { kind: string; at: string | null }>(
      `select k.kind as kind, (select min(d.at) from due d where d.kind = k.kind) as at from (${listed}) as k`,
    );
  times.set(listed, made);
  return db.all(made, {});
}

const earliest = statement<{ kind: string }, { at: string | null }>("select min(at) as at from due where kind = :kind");

/** The same for one of them. */
export const findEarliest = async (db: Reader, kind: string): Promise<string | null> =>
  (await db.get(earliest, { kind }))?.at ?? null;

type DueCursor = Pick<DueRow, "at" | "space_id" | "ref">;

const ofKind = statement<DueCursor & { kind: string; now: string; limit: number }, DueRow>(
  `select space_id, kind, ref, at, payload, attempt from due
   where kind = :kind and at <= :now and (at, space_id, ref) > (:at, :space_id, :ref)
   order by at, space_id, ref limit :limit`,
);
const FIRST: DueCursor = { at: "", space_id: "", ref: 0 };

/** The earliest first; behind `after`, where there is one. */
export const listDue = (
  db: Reader,
  { kind, now, limit, after = FIRST }: { kind: string; now: string; limit: number; after: DueCursor | undefined },
): Promise<DueRow[]> => {
  const { at, space_id, ref } = after;
  return db.all(ofKind, { kind, now, limit, at, space_id, ref });
};

const byKey = statement<{ space_id: string; kind: string; ref: number; now: string }, DueRow>(
  `select space_id, kind, ref, at, payload, attempt from due
   where space_id = :space_id and kind = :kind and ref = :ref and at <= :now`,
);

/** Undefined when it is no longer there, or was moved to later. */
export const readDue = (
  db: Reader,
  key: { space_id: string; kind: string; ref: number; now: string },
): Promise<DueRow | undefined> => db.get(byKey, key);

/** The same, in a transaction. */
export const findDue = (
  tx: Tx,
  { kind, ref, now }: { kind: string; ref: number; now: string },
): Promise<DueRow | undefined> => readDue(tx, { space_id: tx.space_id, kind, ref, now });

const cancel = statement<{ space_id: string; kind: string; ref: number }>(
  "delete from due where space_id = :space_id and kind = :kind and ref = :ref",
);

export const deleteDue = (tx: Tx, { kind, ref }: { kind: string; ref: number }): Promise<void> =>
  tx.run(cancel, { space_id: tx.space_id, kind, ref });

const cancelAsRead = statement<DueRow & { payload: string }>(
  `delete from due where space_id = :space_id and kind = :kind and ref = :ref and at = :at and attempt = :attempt
   and coalesce(payload, '') = :payload`,
);

/** Whether it was still there, as it was read. */
export const deleteDueAsRead = async (tx: Tx, row: DueRow): Promise<boolean> =>
  (await tx.runCounted(cancelAsRead, { ...row, payload: row.payload ?? "" })) > 0;

const cancelOfNoSpace = statement<Pick<DueRow, "space_id" | "kind" | "ref">>(
  `delete from due where space_id = :space_id and kind = :kind and ref = :ref
   and not exists (select 1 from spaces where id = :space_id)`,
);

/** Whether it was of a space that there is not. */
export const deleteDueOfNoSpace = async (database: Database, { space_id, kind, ref }: DueRow): Promise<boolean> =>
  (await database.compareAndSet(cancelOfNoSpace, { space_id, kind, ref })) > 0;

const cancelKind = statement<{ space_id: string; kind: string }>(
  "delete from due where space_id = :space_id and kind = :kind",
);

export async function deleteDueOfKind(tx: Tx, kind: string): Promise<void> {
  await tx.run(cancelKind, { space_id: tx.space_id, kind });
}

export interface DeadRow {
  id: number;
  kind: string;
  ref: number;
  at: string;
  payload: string | null;
  attempts: number;
  error: string;
  died_at: string;
}

const bury = statement<DeadRow & { space_id: string }>(
  `insert into due_dead (space_id, id, kind, ref, at, payload, attempts, error, died_at)
   values (:space_id, :id, :kind, :ref, :at, :payload, :attempts, :error, :died_at)`,
);

export async function insertDead(tx: Tx, row: DeadRow): Promise<void> {
  await tx.run(bury, { ...row, space_id: tx.space_id });
}

const forget = statement<{ space_id: string; id: number }>(
  "delete from due_dead where space_id = :space_id and id = :id",
);

export async function deleteDead(tx: Tx, id: number): Promise<void> {
  await tx.run(forget, { space_id: tx.space_id, id });
}

const planned = statement<Record<string, never>, { value: string }>("select value from hub where name = 'planned_for'");

/** What every space's own rows were last planned for. */
export const findPlannedFor = async (db: Reader): Promise<string | undefined> => (await db.get(planned, {}))?.value;

const savePlanned = statement<{ value: string }>(
  `insert into hub (name, value) values ('planned_for', :value)
   on conflict (name) do update set value = excluded.value`,
);

export async function savePlannedFor(tx: Tx, value: string): Promise<void> {
  await tx.run(savePlanned, { value });
}

const spaces = statement<{ after: string; limit: number }, { id: string }>(
  `select id from spaces where id > :after and id not in ('hub', 'main') and emptied_at is null
   order by id limit :limit`,
);

/** All but those that are always there. */
export const listTeamSpaces = async (db: Reader, args: { after: string; limit: number }): Promise<string[]> =>
  (await db.all(spaces, args)).map(({ id }) => id);
