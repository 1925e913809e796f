import type { Door } from "../../../context.ts";
import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Verdict } from "../schema.ts";
import type { ApprovalRow, StatedApprovalRow } from "../tables.ts";
import { APPROVAL, type At, CLASS, COLUMNS, FROM, type In, NAMES, OPEN } from "./stated.ts";

const insert = statement<ApprovalRow & In>(
  `insert into approvals (space_id, id, agent_id, key, call_id, server, mount, tool, arguments, digest, covers, executes,
   editable, verdicts, about, hints, input_schema, policy_version, ruled, decision, decided_via, reason, edited_arguments,
   edited_digest, progress, holder, fence, executing_at, ended_at, called_by, taken_at, cause, cause_how)
   values (:space_id, :id, :agent_id, :key, :call_id, :server, :mount, :tool, :arguments, :digest, :covers, :executes,
   :editable, :verdicts, :about, :hints, :input_schema, :policy_version, :ruled, :decision, :decided_via, :reason,
   :edited_arguments, :edited_digest, :progress, :holder, :fence, :executing_at, :ended_at, :called_by, :taken_at,
   :cause, :cause_how)`,
);
export const insertApproval = (tx: Tx, row: ApprovalRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const byId = statement<At & { id: number }, StatedApprovalRow>(`${APPROVAL} and a.id = :id`);
export const findApproval = (db: Reader, args: At & { id: number }): Promise<StatedApprovalRow | undefined> =>
  db.get(byId, args);

type Key = At & { agent_id: string; key: string };

const byKey = statement<Key, StatedApprovalRow>(`${APPROVAL} and a.agent_id = :agent_id and a.key = :key`);
export const findByKey = (db: Reader, args: Key): Promise<StatedApprovalRow | undefined> => db.get(byKey, args);

type Waiting = { principal_id: string; approvals: number; since_id: number };

const WAITING = `select a.agent_id as principal_id, count(*) as approvals, min(n.id) as since_id ${FROM} ${OPEN}
   and a.called_by is null`;
const waiting = statement<At, Waiting>(`${WAITING} group by a.agent_id`);
const waitingOf = statement<At & { agent_id: string }, Waiting>(
  `${WAITING} and a.agent_id = :agent_id group by a.agent_id`,
);
/** Whose calls wait for a person, and how many. What somebody else called of its servers, no agent waits for. */
export async function listWaiting(db: Reader, where: At, agent_id: string | undefined): Promise<Waiting[]> {
  const rows = await (agent_id === undefined ? db.all(waiting, where) : db.all(waitingOf, { ...where, agent_id }));
  return rows.map((row) => ({ ...row, approvals: Number(row.approvals), since_id: Number(row.since_id) }));
}

const openCountOf = statement<At & { agent_id: string }, { count: number }>(
  `select count(*) as count ${FROM} ${OPEN} and a.agent_id = :agent_id`,
);
/** Of its servers' calls, whoever called them. */
export const countOpen = async (db: Reader, where: At & { agent_id: string }): Promise<number> =>
  Number((await db.get(openCountOf, where))?.count ?? 0);

export interface Decided {
  id: number;
  decision: Verdict;
  decided_via: Door | null;
  reason: string | null;
  edited_arguments: string | null;
  edited_digest: string | null;
}

const decide = statement<Decided & In>(
  `update approvals set decision = :decision, decided_via = :decided_via, reason = :reason,
   edited_arguments = :edited_arguments, edited_digest = :edited_digest where space_id = :space_id and id = :id`,
);
export const saveDecision = (tx: Tx, row: Decided): Promise<void> => tx.run(decide, { ...row, space_id: tx.space_id });

export interface Claiming {
  id: number;
  holder: string;
  fence: number;
  now: string;
}

const claim = statement<Claiming & In>(
  `update approvals set progress = 'executing', holder = :holder, fence = :fence, executing_at = :now
   where space_id = :space_id and id = :id and progress is null and executes = 'runtime'
   and (ruled = 'allow' or decision = 'approve')`,
);
/** True for the first alone, and only for what was allowed. */
export const claimApproval = async (tx: Tx, args: Claiming): Promise<boolean> =>
  (await tx.runCounted(claim, { ...args, space_id: tx.space_id })) === 1;

type Ending = { id: number; progress: "completed" | "failed" | "unknown"; now: string };

const end = statement<Ending & In>(
  `update approvals set progress = :progress, ended_at = :now
   where space_id = :space_id and id = :id and progress = 'executing'`,
);
export const endApproval = async (tx: Tx, args: Ending): Promise<boolean> =>
  (await tx.runCounted(end, { ...args, space_id: tx.space_id })) === 1;

const withdrawRow = statement<In & { id: number; now: string }>(
  `update approvals set progress = 'withdrawn', ended_at = :now
   where space_id = :space_id and id = :id and progress is null`,
);
/** True where nobody has claimed it by then: from there on nobody can. */
export const withdrawApproved = async (tx: Tx, args: { id: number; now: string }): Promise<boolean> =>
  (await tx.runCounted(withdrawRow, { ...args, space_id: tx.space_id })) === 1;

type Output = { id: number; output: string };

const saveOutputRow = statement<Output & In>(
  "update approvals set output = :output where space_id = :space_id and id = :id",
);
export const saveOutput = (tx: Tx, row: Output): Promise<void> =>
  tx.run(saveOutputRow, { ...row, space_id: tx.space_id });

const outputOf = statement<In & { id: number }, { output: string | null }>(
  "select output from approvals where space_id = :space_id and id = :id",
);
/** Apart from the rest, which is listed: it may be long. */
export const findOutput = async (db: Reader, args: In & { id: number }): Promise<string | null> =>
  (await db.get(outputOf, args))?.output ?? null;

type Of = At & { agent_id: string };

const EXECUTING = `${APPROVAL} and a.agent_id = :agent_id and a.progress = 'executing'`;
const executing = statement<Of, StatedApprovalRow>(`${EXECUTING} order by a.id`);
/** What runs of an agent. */
export const listExecuting = (db: Reader, args: Of): Promise<StatedApprovalRow[]> => db.all(executing, args);

const abandoned = statement<Of & { fence: number }, StatedApprovalRow>(
  `${EXECUTING} and a.fence < :fence order by a.id`,
);
/** What earlier runtimes of an agent had begun. */
export const listAbandoned = (db: Reader, args: Of & { fence: number }): Promise<StatedApprovalRow[]> =>
  db.all(abandoned, args);

const fence = statement<In & { agent_id: string }, { fence: number }>(
  "select fence from approval_runtimes where space_id = :space_id and agent_id = :agent_id",
);
export const findFence = async (db: Reader, args: In & { agent_id: string }): Promise<number> =>
  (await db.get(fence, args))?.fence ?? 0;

const saveFenceRow = statement<In & { agent_id: string; fence: number }>(
  `insert into approval_runtimes (space_id, agent_id, fence) values (:space_id, :agent_id, :fence)
   on conflict (space_id, agent_id) do update set fence = excluded.fence`,
);
export const saveFence = (tx: Tx, args: { agent_id: string; fence: number }): Promise<void> =>
  tx.run(saveFenceRow, { ...args, space_id: tx.space_id });

type AskedByHub = Of & { digest: string };

const askedByHub = statement<AskedByHub, StatedApprovalRow>(
  `${APPROVAL} and a.agent_id = :agent_id and a.digest = :digest and a.executes = 'hub' and a.ruled = 'ask'
   and a.taken_at is null order by a.id desc limit 1`,
);
/** What people were asked about this very call, and no call has used up. */
export const findAskedByHub = (db: Reader, args: AskedByHub): Promise<StatedApprovalRow | undefined> =>
  db.get(askedByHub, args);

type AllowedToClient = AskedByHub & { after_id: number };

const allowedToClient = statement<AllowedToClient, StatedApprovalRow>(
  `${APPROVAL} and a.id > :after_id and a.agent_id = :agent_id and a.covers = 'arguments'
   and a.executes = 'client' and a.decision = 'approve' and a.taken_at is null
   and coalesce(a.edited_digest, a.digest) = :digest order by a.id limit 1`,
);
/** What a person has allowed the agent's client since, of this very call: what they saw a part of is none. */
export const findAllowedToClient = (db: Reader, args: AllowedToClient): Promise<StatedApprovalRow | undefined> =>
  db.get(allowedToClient, args);

type Taking = { id: number; now: string };

const take = statement<Taking & In>(
  "update approvals set taken_at = :now where space_id = :space_id and id = :id and taken_at is null",
);
/** True for the first alone. */
export const takeApproval = async (tx: Tx, args: Taking): Promise<boolean> =>
  (await tx.runCounted(take, { ...args, space_id: tx.space_id })) === 1;

const made = statement<Taking & In>(
  `update approvals set progress = 'completed', executing_at = :now, ended_at = :now
   where space_id = :space_id and id = :id and executes = 'hub'`,
);
/** The hub makes the call in the same transaction. */
export const noteMade = (tx: Tx, args: Taking): Promise<void> => tx.run(made, { ...args, space_id: tx.space_id });

type Caused = At & { cause: number };

const openByHub = statement<Caused, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${OPEN} and a.executes = 'hub' and a.cause = :cause order by n.id`,
);
const approvedByHub = statement<Caused, StatedApprovalRow>(
  `${APPROVAL} and ${CLASS} = 'approved' and a.id > :cause and a.executes = 'hub' and a.cause = :cause
   and a.taken_at is null order by a.id`,
);
/** What of a turn or a run waits for a person, or to be called again, of calls that the hub itself asked about. */
export const listOpenByHub = async (db: Reader, args: Caused): Promise<StatedApprovalRow[]> => [
  ...(await db.all(openByHub, args)),
  ...(await db.all(approvedByHub, args)),
];
