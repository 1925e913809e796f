import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { LinkKind, PlanStatus } from "../schema.ts";
import type { PlanLinkRow, PlanTaskRow } from "../tables.ts";

type In = { space_id: string };
type One = In & { id: number };

const TASK = `id, description, status, assigned_to, summary, author, author_id, by_principal_id, updated_at,
   queue, queued_by, queued_by_id, queue_task_id, cause, cause_how`;

const insert = statement<PlanTaskRow & In>(
  `insert into plan_tasks (space_id, id, description, status, assigned_to, summary, author, author_id, by_principal_id,
   updated_at, queue, queued_by, queued_by_id, queue_task_id, cause, cause_how)
   values (:space_id, :id, :description, :status, :assigned_to, :summary, :author, :author_id, :by_principal_id,
   :updated_at, :queue, :queued_by, :queued_by_id, :queue_task_id, :cause, :cause_how)`,
);
export const insertPlanTasks = (tx: Tx, rows: readonly PlanTaskRow[]): Promise<void> =>
  tx.runAll(
    insert,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

const find = statement<One, PlanTaskRow>(`select ${TASK} from plan_tasks where space_id = :space_id and id = :id`);
export const findPlanTask = (db: Reader, args: One): Promise<PlanTaskRow | undefined> => db.get(find, args);

/** Said twice: the two databases have no common word for what is in a list. */
const among = (list: string): string =>
  `select ${TASK} from plan_tasks where space_id = :space_id and id in (${list}) order by id`;
const some = statement<In & { ids: string }, PlanTaskRow>(
  among("select value from json_each(:ids)"),
  among("select cast(json_array_elements_text(cast(:ids as json)) as bigint)"),
);
export const listPlanTasks = (db: Reader, { space_id, ids }: In & { ids: readonly number[] }): Promise<PlanTaskRow[]> =>
  db.all(some, { space_id, ids: JSON.stringify(ids) });

const count = statement<In, { tasks: number }>("select count(*) as tasks from plan_tasks where space_id = :space_id");
/** There are never very many. */
export const countPlanTasks = async (tx: Tx): Promise<number> =>
  Number((await tx.get(count, { space_id: tx.space_id }))?.tasks ?? 0);

type Changed = Pick<
  PlanTaskRow,
  "id" | "status" | "assigned_to" | "summary" | "updated_at" | "queue" | "queued_by" | "queued_by_id" | "queue_task_id"
>;
const change = statement<Changed & In>(
  `update plan_tasks set status = :status, assigned_to = :assigned_to, summary = :summary, updated_at = :updated_at,
   queue = :queue, queued_by = :queued_by, queued_by_id = :queued_by_id, queue_task_id = :queue_task_id
   where space_id = :space_id and id = :id`,
);
export const updatePlanTask = (tx: Tx, row: PlanTaskRow): Promise<void> => {
  const { id, status, assigned_to, summary, updated_at, queue, queued_by, queued_by_id, queue_task_id } = row;
  const changed = { id, status, assigned_to, summary, updated_at, queue, queued_by, queued_by_id, queue_task_id };
  return tx.run(change, { ...changed, space_id: tx.space_id });
};

/** Empty and 0 stand for no condition. */
type Page = In & { after_id: number; status: PlanStatus | ""; assigned_to: string; ready: number; limit: number };

const UNMET = `exists (select 1 from plan_links l
   join plan_tasks b on b.space_id = l.space_id and b.id = l.other_id
   where l.space_id = t.space_id and l.task_id = t.id and l.kind = 'blocks' and b.status <> 'completed')`;

const page = statement<Page, PlanTaskRow>(
  `select ${TASK} from plan_tasks t
   where t.space_id = :space_id and t.id > :after_id and (:status = '' or t.status = :status)
   and (:assigned_to = '' or t.assigned_to = :assigned_to)
   and (cast(:ready as bigint) = 0 or (t.status = 'todo' and not ${UNMET})) order by t.id limit :limit`,
);
/** In the order they were made. */
export const listPlan = (db: Reader, args: Page): Promise<PlanTaskRow[]> => db.all(page, args);

/** With what the other task is. */
export type LinkedRow = PlanLinkRow & { status: PlanStatus };
const linksOf = statement<In & { first: number; last: number }, LinkedRow>(
  `select l.task_id, l.kind, l.other_id, o.status from plan_links l
   join plan_tasks o on o.space_id = l.space_id and o.id = l.other_id
   where l.space_id = :space_id and l.task_id >= :first and l.task_id <= :last order by l.task_id, l.kind, l.other_id`,
);
/** Of the tasks between two ids. */
export const listLinks = (db: Reader, args: In & { first: number; last: number }): Promise<LinkedRow[]> =>
  db.all(linksOf, args);

const dependents = statement<One, { id: number }>(
  `select l.task_id as id from plan_links l join plan_tasks t on t.space_id = l.space_id and t.id = l.task_id
   where l.space_id = :space_id and l.other_id = :id and l.kind = 'blocks' and t.queue = 'waiting' order by l.task_id`,
);
/** Those that wait for it and are to be handed to the queue then. */
export const listWaitingFor = async (tx: Tx, id: number): Promise<number[]> =>
  (await tx.all(dependents, { id, space_id: tx.space_id })).map(({ id }) => id);

const insertLink = statement<PlanLinkRow & In>(
  `insert into plan_links (space_id, task_id, kind, other_id) values (:space_id, :task_id, :kind, :other_id)
   on conflict (space_id, task_id, kind, other_id) do nothing`,
);
export const insertLinks = (tx: Tx, rows: readonly PlanLinkRow[]): Promise<void> =>
  tx.runAll(
    insertLink,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

const deleteOne = statement<PlanLinkRow & In>(
  `delete from plan_links
   where space_id = :space_id and task_id = :task_id and kind = :kind and other_id = :other_id`,
);
export const deleteLink = (tx: Tx, row: PlanLinkRow): Promise<number> =>
  tx.runCounted(deleteOne, { ...row, space_id: tx.space_id });

type Reach = In & { from_id: number; kind: LinkKind; to_id: number };
// Crossed, so that SQLite begins with what was reached: else it would go through all links for each of them.
const reaches = statement<Reach, { id: number }>(
  `select w.id from (
     with recursive reached(id) as (
       select cast(:from_id as bigint) union
       select l.other_id from reached r cross join plan_links l
       where l.space_id = :space_id and l.task_id = r.id and l.kind = :kind
     ) select id from reached
   ) as w where w.id = :to_id limit 1`,
);
/** Whether links of this kind lead from one to the other. */
export const isReached = async (tx: Tx, args: Omit<Reach, "space_id">): Promise<boolean> =>
  (await tx.get(reaches, { ...args, space_id: tx.space_id })) !== undefined;
