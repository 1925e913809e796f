import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { CheckpointState } from "../schema.ts";
import type { CheckpointRow } from "../tables.ts";

type In = { space_id: string };

const insert = statement<CheckpointRow & In>(
  `insert into checkpoints (space_id, id, paused_by, reason, phase, state, resumed_at)
   values (:space_id, :id, :paused_by, :reason, :phase, :state, :resumed_at)`,
);
export const insertCheckpoint = (tx: Tx, row: CheckpointRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

type Held = { checkpoint_id: number; question_id: number; waits: number };

const hold = statement<Held & In>(
  `insert into checkpoint_questions (space_id, checkpoint_id, question_id, waits)
   values (:space_id, :checkpoint_id, :question_id, :waits)`,
);
export const insertHeld = (tx: Tx, rows: readonly Held[]): Promise<void> =>
  tx.runAll(
    hold,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

const CHECKPOINT = "select id, paused_by, reason, phase, state, resumed_at from checkpoints where space_id = :space_id";

const byId = statement<In & { id: number }, CheckpointRow>(`${CHECKPOINT} and id = :id`);
export const findCheckpoint = (db: Reader, args: In & { id: number }): Promise<CheckpointRow | undefined> =>
  db.get(byId, args);

const waiting = statement<In, CheckpointRow>(`${CHECKPOINT} and state = 'waiting'`);
export const findWaiting = (db: Reader, space_id: string): Promise<CheckpointRow | undefined> =>
  db.get(waiting, { space_id });

const held = statement<In & { checkpoint_id: number }, { question_id: number; waits: number }>(
  `select question_id, waits from checkpoint_questions where space_id = :space_id and checkpoint_id = :checkpoint_id
   order by question_id`,
);
/** The questions that were open when the workflow stopped there, and which of them it waits for. */
export const listHeld = (
  db: Reader,
  args: In & { checkpoint_id: number },
): Promise<{ question_id: number; waits: number }[]> => db.all(held, args);

const holding = statement<In & { question_id: number }, { checkpoint_id: number }>(
  `select h.checkpoint_id from checkpoint_questions h join checkpoints c on c.space_id = h.space_id
   and c.id = h.checkpoint_id where h.space_id = :space_id and h.question_id = :question_id and c.state = 'waiting'`,
);
/** Where this question is waited for, or was open. */
export const findHolding = async (tx: Tx, question_id: number): Promise<number | undefined> =>
  (await tx.get(holding, { space_id: tx.space_id, question_id }))?.checkpoint_id;

type Resuming = { id: number; state: CheckpointState; now: string };

const resume = statement<Resuming & In>(
  `update checkpoints set state = :state, resumed_at = :now
   where space_id = :space_id and id = :id and state = 'waiting'
   and not exists (select 1 from checkpoint_questions h join notices n on n.space_id = h.space_id and n.id = h.question_id
     where h.space_id = :space_id and h.checkpoint_id = :id and h.waits = 1
     and n.state = 'open' and (n.expires_at is null or n.expires_at > :now))`,
);
/** True for the first alone, and only once nothing is open that it waits for. */
export const resumeCheckpoint = async (tx: Tx, args: Resuming): Promise<boolean> =>
  (await tx.runCounted(resume, { ...args, space_id: tx.space_id })) === 1;

const phase = statement<In, { phase: string }>("select phase from workflow_phases where space_id = :space_id");
export const findPhase = async (db: Reader, space_id: string): Promise<string | null> =>
  (await db.get(phase, { space_id }))?.phase ?? null;

const savePhaseRow = statement<In & { phase: string; begun_at: string }>(
  `insert into workflow_phases (space_id, phase, begun_at) values (:space_id, :phase, :begun_at)
   on conflict (space_id) do update set phase = excluded.phase, begun_at = excluded.begun_at`,
);
export const savePhase = (tx: Tx, args: { phase: string; begun_at: string }): Promise<void> =>
  tx.run(savePhaseRow, { ...args, space_id: tx.space_id });
