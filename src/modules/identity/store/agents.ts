import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { AgentRow, SeenRow } from "../tables.ts";

const COLUMNS = `a.principal_id, p.name, a.inbox_id, a.type, a.lifecycle, a.run_phase, a.created_at, a.updated_at,
   s.default_inbox_id`;
const HERE = `from agents a join principals p on p.id = a.principal_id join spaces s on s.id = a.space_id
   where a.space_id = :space_id and a.deleted_at is null`;
const AGENT = `select ${COLUMNS} ${HERE}`;

const defaultInbox = statement<{ space_id: string }, AgentRow | (Pick<AgentRow, "inbox_id"> & { name: null })>(
  `select s.default_inbox_id as inbox_id, s.default_inbox_id, a.principal_id, p.name, a.type, a.lifecycle, a.run_phase,
   a.created_at, a.updated_at from spaces s left join agents a on a.space_id = s.id and a.inbox_id = s.default_inbox_id
   and a.deleted_at is null left join principals p on p.id = a.principal_id where s.id = :space_id`,
);
/** With the agent it belongs to, in one question: every post of a person who names none asks it. */
export async function findDefaultInbox(
  db: Reader,
  space_id: string,
): Promise<{ inbox_id: number; agent: AgentRow | null } | undefined> {
  const row = await db.get(defaultInbox, { space_id });
  return row && { inbox_id: row.inbox_id, agent: row.name === null ? null : row };
}

const agentByName = statement<{ space_id: string; name: string }, AgentRow>(`${AGENT} and p.name = :name`);
export const findAgentByName = (db: Reader, args: { space_id: string; name: string }): Promise<AgentRow | undefined> =>
  db.get(agentByName, args);

const agentByPrincipal = statement<{ space_id: string; principal_id: string }, AgentRow>(
  `${AGENT} and a.principal_id = :principal_id`,
);
export const findAgentByPrincipal = (
  db: Reader,
  args: { space_id: string; principal_id: string },
): Promise<AgentRow | undefined> => db.get(agentByPrincipal, args);

const agentsIn = statement<{ space_id: string }, AgentRow>(`${AGENT} order by a.created_at, a.inbox_id`);
export const listAgents = (db: Reader, space_id: string): Promise<AgentRow[]> => db.all(agentsIn, { space_id });

const seenSince = statement<{ space_id: string; since: string }, AgentRow & SeenRow>(
  `select ${COLUMNS}, a.last_seen_at, a.left_at, a.project, a.branch, a.client ${HERE}
   and (a.last_seen_at is null or a.last_seen_at >= :since or a.inbox_id = s.default_inbox_id or not exists
   (select 1 from agent_sessions x where x.space_id = a.space_id and x.principal_id = a.principal_id))
   order by a.created_at, a.inbox_id`,
);
/** Of those that sessions made, such as were seen since then, or not yet; all others in any case. */
export const listAgentsSeen = (db: Reader, args: { space_id: string; since: string }) => db.all(seenSince, args);

type NewAgentRow = Omit<AgentRow, "name" | "default_inbox_id"> & { created_by: string };

const newAgent = statement<NewAgentRow & { space_id: string }>(
  `insert into agents (space_id, principal_id, inbox_id, type, lifecycle, run_phase, created_by, created_at, updated_at)
   values (:space_id, :principal_id, :inbox_id, :type, :lifecycle, :run_phase, :created_by, :created_at, :updated_at)`,
);
export const insertAgent = (tx: Tx, row: NewAgentRow): Promise<void> =>
  tx.run(newAgent, { ...row, space_id: tx.space_id });

const report = statement<{
  space_id: string;
  principal_id: string;
  lifecycle: string;
  run_phase: string;
  updated_at: string;
}>(
  `update agents set lifecycle = :lifecycle, run_phase = :run_phase, updated_at = :updated_at
   where space_id = :space_id and principal_id = :principal_id`,
);
export const updateAgent = (
  tx: Tx,
  args: { principal_id: string; lifecycle: string; run_phase: string; updated_at: string },
): Promise<void> => tx.run(report, { ...args, space_id: tx.space_id });
