import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Type } from "../schema.ts";
import type { TriggerRow } from "../tables.ts";

const COLUMNS = `id, name, principal_id, type, description, channel, schedule, timezone, missed, missed_max, missed_window_seconds, overlap,
   session_mode, session_key, prompt, query_secret, enabled, last_slot, next_run, last_run, run_count, refused_at, refused_for, created_at, created_by, updated_at`;

const insert = statement<TriggerRow & { space_id: string }>(
  `insert into triggers (space_id, id, name, principal_id, type, description, channel, schedule, timezone, missed, missed_max,
   missed_window_seconds, overlap, session_mode, session_key, prompt, query_secret, enabled, last_slot, next_run, last_run,
   run_count, refused_at, refused_for, created_at, created_by, updated_at)
   values (:space_id, :id, :name, :principal_id, :type, :description, :channel, :schedule, :timezone, :missed, :missed_max,
   :missed_window_seconds, :overlap, :session_mode, :session_key, :prompt, :query_secret, :enabled, :last_slot, :next_run, :last_run,
   :run_count, :refused_at, :refused_for, :created_at, :created_by, :updated_at)`,
);
export const insertTrigger = (tx: Tx, row: TriggerRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const byName = statement<{ space_id: string; name: string }, TriggerRow>(
  `select ${COLUMNS} from triggers where space_id = :space_id and name = :name`,
);
export const findTrigger = (db: Reader, args: { space_id: string; name: string }): Promise<TriggerRow | undefined> =>
  db.get(byName, args);

const byId = statement<{ space_id: string; id: number }, TriggerRow>(
  `select ${COLUMNS} from triggers where space_id = :space_id and id = :id`,
);
export const findTriggerById = (tx: Tx, id: number): Promise<TriggerRow | undefined> =>
  tx.get(byId, { space_id: tx.space_id, id });

const all = statement<{ space_id: string }, TriggerRow>(
  `select ${COLUMNS} from triggers where space_id = :space_id order by name`,
);
const ofType = statement<{ space_id: string; type: Type }, TriggerRow>(
  `select ${COLUMNS} from triggers where space_id = :space_id and type = :type order by name`,
);
export const listTriggers = (db: Reader, space_id: string, type: Type | undefined): Promise<TriggerRow[]> =>
  type === undefined ? db.all(all, { space_id }) : db.all(ofType, { space_id, type });

const count = statement<{ space_id: string }, { triggers: number }>(
  "select count(*) as triggers from triggers where space_id = :space_id",
);
export const countTriggers = async (db: Reader, space_id: string): Promise<number> =>
  Number((await db.get(count, { space_id }))?.triggers ?? 0);

type LineRow = Pick<
  TriggerRow,
  "id" | "name" | "type" | "description" | "schedule" | "timezone" | "enabled" | "next_run" | "run_count"
>;
const lines = statement<{ space_id: string; limit: number }, LineRow>(
  `select id, name, type, substr(description, 1, 160) as description, schedule, timezone, enabled, next_run, run_count
   from triggers where space_id = :space_id order by name limit :limit`,
);
/** Of long texts only how they begin. */
export const listTriggerLines = (db: Reader, args: { space_id: string; limit: number }): Promise<LineRow[]> =>
  db.all(lines, args);

const update = statement<TriggerRow & { space_id: string }>(
  `update triggers set description = :description, channel = :channel, schedule = :schedule, timezone = :timezone,
   missed = :missed, missed_max = :missed_max, missed_window_seconds = :missed_window_seconds, overlap = :overlap,
   session_mode = :session_mode, session_key = :session_key, prompt = :prompt, query_secret = :query_secret,
   enabled = :enabled, last_slot = :last_slot, next_run = :next_run, updated_at = :updated_at
   where space_id = :space_id and id = :id`,
);
export const updateTrigger = (tx: Tx, row: TriggerRow): Promise<void> =>
  tx.run(update, { ...row, space_id: tx.space_id });

const hold = statement<{ space_id: string; id: number; principal_id: string }>(
  "update triggers set principal_id = :principal_id where space_id = :space_id and id = :id",
);
export const savePrincipal = (tx: Tx, id: number, principal_id: string): Promise<void> =>
  tx.run(hold, { space_id: tx.space_id, id, principal_id });

const fired = statement<{ space_id: string; id: number; last_run: string }>(
  "update triggers set run_count = run_count + 1, last_run = :last_run where space_id = :space_id and id = :id",
);
export const countRun = (tx: Tx, id: number, last_run: string): Promise<void> =>
  tx.run(fired, { space_id: tx.space_id, id, last_run });

type Slots = Pick<TriggerRow, "id" | "last_slot" | "next_run" | "last_run" | "run_count">;
const slots = statement<Slots & { space_id: string }>(
  `update triggers set last_slot = :last_slot, next_run = :next_run, last_run = :last_run, run_count = :run_count
   where space_id = :space_id and id = :id`,
);
/** What a slot changes, with the run that came of it. */
export const saveSlots = (tx: Tx, { id, last_slot, next_run, last_run, run_count }: Slots): Promise<void> =>
  tx.run(slots, { space_id: tx.space_id, id, last_slot, next_run, last_run, run_count });

type Refusal = Pick<TriggerRow, "id" | "refused_at" | "refused_for">;
const refused = statement<Refusal & { space_id: string }>(
  "update triggers set refused_at = :refused_at, refused_for = :refused_for where space_id = :space_id and id = :id",
);
export const noteRefusal = (tx: Tx, refusal: Refusal): Promise<void> =>
  tx.run(refused, { ...refusal, space_id: tx.space_id });

const remove = statement<{ space_id: string; id: number }>(
  "delete from triggers where space_id = :space_id and id = :id",
);
export const deleteTrigger = (tx: Tx, id: number): Promise<void> => tx.run(remove, { space_id: tx.space_id, id });

const due = statement<{ space_id: string; kind: string }, { rows: number }>(
  "select count(*) as rows from due where space_id = :space_id and kind = :kind",
);
/** How much of a kind is planned in the space. */
export const countDue = async (tx: Tx, kind: string): Promise<number> =>
  Number((await tx.get(due, { space_id: tx.space_id, kind }))?.rows ?? 0);
