import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { CallRow } from "../tables.ts";

interface In {
  space_id: string;
}

const COLUMNS = `id, agent_id, called_by, key, server, tool, arguments, state, expires_at, approval_id, code, error, cause,
   cause_how`;

const insert = statement<CallRow & In>(
  `insert into agent_calls (space_id, ${COLUMNS}) values (:space_id, :id, :agent_id, :called_by, :key, :server, :tool,
   :arguments, :state, :expires_at, :approval_id, :code, :error, :cause, :cause_how)`,
);
export const insertCall = (tx: Tx, row: CallRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const byId = statement<In & { id: number }, CallRow>(
  `select ${COLUMNS} from agent_calls where space_id = :space_id and id = :id`,
);
export const findCall = (db: Reader, args: In & { id: number }): Promise<CallRow | undefined> => db.get(byId, args);

type Keyed = In & { called_by: string; key: string };

const byKey = statement<Keyed, CallRow>(
  `select ${COLUMNS} from agent_calls where space_id = :space_id and called_by = :called_by and key = :key`,
);
export const findCallByKey = (db: Reader, args: Keyed): Promise<CallRow | undefined> => db.get(byKey, args);

type Waiting = In & { agent_id: string; now: string; limit: number };

const waiting = statement<Waiting, Pick<CallRow, "id" | "server" | "tool">>(
  `select id, server, tool from agent_calls where space_id = :space_id and agent_id = :agent_id and state = 'waiting'
   and expires_at > :now order by id limit :limit`,
);
/** What a runtime of the agent has to take, oldest first. */
export const listWaitingCalls = (db: Reader, args: Waiting): Promise<Pick<CallRow, "id" | "server" | "tool">[]> =>
  db.all(waiting, args);

type End = Pick<CallRow, "id" | "state" | "approval_id" | "code" | "error">;

const end = statement<End & In>(
  `update agent_calls set state = :state, approval_id = :approval_id, code = :code, error = :error
   where space_id = :space_id and id = :id and state = 'waiting'`,
);
/** True for the first alone. */
export const endWaitingCall = async (tx: Tx, row: End): Promise<boolean> =>
  (await tx.runCounted(end, { ...row, space_id: tx.space_id })) === 1;
