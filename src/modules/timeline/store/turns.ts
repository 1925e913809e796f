import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TurnRow } from "../tables.ts";

const COLUMNS =
  "id, principal_id, fence, status, outcome, error, ended_at, cost_micros, input_tokens, output_tokens, cause, cause_how";

const save = statement<TurnRow & { space_id: string }>(
  `insert into turns (space_id, ${COLUMNS}) values (:space_id, :id, :principal_id, :fence, :status, :outcome, :error,
   :ended_at, :cost_micros, :input_tokens, :output_tokens, :cause, :cause_how)
   on conflict (space_id, id) do update set status = excluded.status, outcome = excluded.outcome, error = excluded.error,
   ended_at = excluded.ended_at, cost_micros = excluded.cost_micros, input_tokens = excluded.input_tokens,
   output_tokens = excluded.output_tokens`,
);
export const saveTurn = (tx: Tx, row: TurnRow): Promise<void> => tx.run(save, { ...row, space_id: tx.space_id });

const find = statement<{ space_id: string; id: number }, TurnRow>(
  `select ${COLUMNS} from turns where space_id = :space_id and id = :id`,
);
export const findTurn = (db: Reader, args: { space_id: string; id: number }): Promise<TurnRow | undefined> =>
  db.get(find, args);

const last = statement<{ space_id: string; principal_id: string }, TurnRow>(
  `select ${COLUMNS} from turns where space_id = :space_id and principal_id = :principal_id order by id desc limit 1`,
);
export const findLastTurn = (
  db: Reader,
  { space_id, principal_id }: { space_id: string; principal_id: string },
): Promise<TurnRow | undefined> => db.get(last, { space_id, principal_id });
