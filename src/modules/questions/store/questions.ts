import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Via } from "../schema.ts";
import type { NewQuestionRow, StatedQuestionRow } from "../tables.ts";

type In = { space_id: string };

const insert = statement<NewQuestionRow & In>(
  `insert into questions (space_id, id, asker_id, question, context, priority, blocking, options, options_only, fallback,
   handed_in, thread_id)
   values (:space_id, :id, :asker_id, :question, :context, :priority, :blocking, :options, :options_only, :fallback,
   0, :thread_id)`,
);
export const insertQuestion = (tx: Tx, row: NewQuestionRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const COLUMNS = `q.id, q.asker_id, q.question, q.context, q.priority, q.blocking, q.options, q.options_only, q.fallback,
   q.answer, q.via, q.handed_in, q.thread_id, n.raised_by, n.state, n.expires_at, n.settled_by, n.settled_at, n.cause, n.cause_how,
   p.name as asked_by, s.name as settled_by_name,
   case when a.deleted_at is not null or a.left_at is not null or a.lifecycle in ('stopped', 'failed')
     then 1 else 0 end as asker_ended,
   h.checkpoint_id, case when h.checkpoint_id is null then null else c.phase end as phase`;
const NAMES = `join principals p on p.id = q.asker_id left join principals s on s.id = n.settled_by
   left join agents a on a.space_id = q.space_id and a.principal_id = q.asker_id
   left join checkpoints c on c.space_id = q.space_id and c.state = 'waiting'
   left join checkpoint_questions h on h.space_id = q.space_id and h.checkpoint_id = c.id and h.question_id = q.id
   and h.waits = 1`;
const QUESTION = `select ${COLUMNS} from questions q join notices n on n.space_id = q.space_id and n.id = q.id ${NAMES}
   where q.space_id = :space_id`;

const byId = statement<In & { id: number }, StatedQuestionRow>(`${QUESTION} and q.id = :id`);
export const findQuestion = (db: Reader, args: In & { id: number }): Promise<StatedQuestionRow | undefined> =>
  db.get(byId, args);

const byThread = statement<In & { thread_id: number }, StatedQuestionRow>(
  `${QUESTION} and q.thread_id = :thread_id and q.thread_id is not null`,
);
/** The question that this mail asks. */
export const findAskedBy = (db: Reader, args: In & { thread_id: number }): Promise<StatedQuestionRow | undefined> =>
  db.get(byThread, args);

/** From the notices that are open, which are few, in this order: all of a space's questions may be many. */
const FROM = "from notices n cross join questions q";
const OPEN = `where n.space_id = :space_id and n.state = 'open' and (n.expires_at is null or n.expires_at > :now)
   and q.space_id = n.space_id and q.id = n.id`;
const IMPORTANCE = "q.blocking desc, case q.priority when 'high' then 0 when 'medium' then 1 else 2 end, q.id";

type OpenIn = In & { now: string };

const open = statement<OpenIn & { limit: number }, StatedQuestionRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${OPEN} order by ${IMPORTANCE} limit :limit`,
);
/** What work waits for first, then what matters most, then the oldest. */
export const listOpen = (db: Reader, args: OpenIn & { limit: number }): Promise<StatedQuestionRow[]> =>
  db.all(open, args);

const countAll = statement<OpenIn, { count: number }>(`select count(*) as count ${FROM} ${OPEN}`);
export const countOpen = async (db: Reader, args: OpenIn): Promise<number> =>
  Number((await db.get(countAll, args))?.count ?? 0);

const countOf = statement<OpenIn & { asker_id: string }, { count: number }>(
  `select count(*) as count ${FROM} ${OPEN} and n.raised_by = :asker_id`,
);
export const countOpenOf = async (db: Reader, args: OpenIn & { asker_id: string }): Promise<number> =>
  Number((await db.get(countOf, args))?.count ?? 0);

type Page = In & { before_id: number; limit: number };

const newestOpen = statement<OpenIn & Page, StatedQuestionRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${OPEN} and n.id < :before_id order by n.id desc limit :limit`,
);
/** Newest first, as all of these. */
export const listOpenNewest = (db: Reader, args: OpenIn & Page): Promise<StatedQuestionRow[]> =>
  db.all(newestOpen, args);

const openIds = statement<OpenIn & Page, { id: number }>(
  `select n.id ${FROM} ${OPEN} and n.id < :before_id order by n.id desc limit :limit`,
);
/** Those of `listOpenNewest`. */
export const listOpenIds = async (db: Reader, args: OpenIn & Page): Promise<number[]> =>
  (await db.all(openIds, args)).map(({ id }) => id);

const all = statement<Page, StatedQuestionRow>(`${QUESTION} and q.id < :before_id order by q.id desc limit :limit`);
export const listQuestions = (db: Reader, args: Page): Promise<StatedQuestionRow[]> => db.all(all, args);

const answered = statement<Page, StatedQuestionRow>(
  `${QUESTION} and q.answer is not null and q.id < :before_id order by q.id desc limit :limit`,
);
export const listAnswered = (db: Reader, args: Page): Promise<StatedQuestionRow[]> => db.all(answered, args);

const answeredIn = statement<In & { run_id: number }, StatedQuestionRow>(
  `${QUESTION} and q.answer is not null and q.id > :run_id and n.cause = :run_id and n.cause_how = 'credential'
   order by q.id`,
);
/** What was asked with the credential of that run: since it was planned, which is not long ago. */
export const listAnsweredIn = (db: Reader, args: In & { run_id: number }): Promise<StatedQuestionRow[]> =>
  db.all(answeredIn, args);

type Blocked = { principal_id: string; asks: number; since_id: number };

const BLOCKED = `select q.asker_id as principal_id, count(*) as asks, min(q.id) as since_id ${FROM} ${OPEN} and q.blocking = 1`;
const blocked = statement<OpenIn, Blocked>(`${BLOCKED} group by q.asker_id`);
const blockedOf = statement<OpenIn & { asker_id: string }, Blocked>(
  `${BLOCKED} and q.asker_id = :asker_id group by q.asker_id`,
);
/** Whose work waits for an answer, and for how many. */
export async function listBlocked(db: Reader, where: OpenIn, asker_id: string | undefined): Promise<Blocked[]> {
  const rows = await (asker_id === undefined ? db.all(blocked, where) : db.all(blockedOf, { ...where, asker_id }));
  return rows.map((row) => ({ ...row, asks: Number(row.asks), since_id: Number(row.since_id) }));
}

interface Answered {
  id: number;
  answer: string;
  via: Via;
  handed_in: number;
}

const save = statement<Answered & In>(
  `update questions set answer = :answer, via = :via, handed_in = :handed_in where space_id = :space_id and id = :id`,
);
export const saveAnswer = (tx: Tx, row: Answered): Promise<void> => tx.run(save, { ...row, space_id: tx.space_id });
