import type { Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TrailRow } from "../tables.ts";

/** Said twice: the two databases have no common word for what is in a list. */
const among = (list: string): string =>
  `select principal_id, steps, turns, person_at, last_at from mail_trails
   where space_id = :space_id and principal_id in (${list})`;

const find = statement<{ space_id: string; principals: string }, TrailRow>(
  among("select value from json_each(:principals)"),
  among("select json_array_elements_text(cast(:principals as json))"),
);
export const listTrails = (tx: Tx, principals: readonly string[]): Promise<TrailRow[]> =>
  tx.all(find, { space_id: tx.space_id, principals: JSON.stringify(principals) });

const save = statement<TrailRow & { space_id: string }>(
  `insert into mail_trails (space_id, principal_id, steps, turns, person_at, last_at)
   values (:space_id, :principal_id, :steps, :turns, :person_at, :last_at)
   on conflict (space_id, principal_id) do update set steps = excluded.steps, turns = excluded.turns,
   person_at = excluded.person_at, last_at = excluded.last_at`,
);
export const saveTrails = (tx: Tx, rows: readonly TrailRow[]): Promise<void> =>
  tx.runAll(
    save,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

type Quiet = { space_id: string; before: string; stopped: number; limit: number };

const forgetQuiet = statement<Quiet>(
  `delete from mail_trails where space_id = :space_id and principal_id in
   (select principal_id from mail_trails
    where space_id = :space_id and last_at < :before and turns < :stopped order by last_at limit :limit)`,
);
/** Those that were stopped stay so. */
export const deleteQuietTrails = (tx: Tx, args: Omit<Quiet, "space_id">): Promise<void> =>
  tx.run(forgetQuiet, { ...args, space_id: tx.space_id });

const quietest = statement<{ space_id: string; stopped: number }, { last_at: string }>(
  "select last_at from mail_trails where space_id = :space_id and turns < :stopped order by last_at limit 1",
);
/** When the last mail came of the one that has been without any for longest, of those. */
export const findQuietest = async (tx: Tx, stopped: number): Promise<string | undefined> =>
  (await tx.get(quietest, { space_id: tx.space_id, stopped }))?.last_at;

const named = (list: string): string => `select name from principals where id in (${list})`;

const names = statement<{ principals: string }, { name: string }>(
  named("select value from json_each(:principals)"),
  named("select json_array_elements_text(cast(:principals as json))"),
);
export const listNames = async (tx: Tx, principals: readonly string[]): Promise<string[]> =>
  (await tx.all(names, { principals: JSON.stringify(principals) })).map(({ name }) => name);

const turning = statement<{ space_id: string }, { found: number }>(
  "select 1 as found from mail_trails where space_id = :space_id and turns > 1 order by turns desc limit 1",
);
/** Whether any mail goes round among agents. */
export const hasTurns = async (tx: Tx): Promise<boolean> =>
  (await tx.get(turning, { space_id: tx.space_id })) !== undefined;
