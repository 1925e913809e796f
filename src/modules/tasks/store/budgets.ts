import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

type In = { space_id: string };

export type BudgetRow = {
  id: number;
  scope: "space" | "agent" | "account";
  /** Empty for the space. */
  name: string;
  tasks_per_day: number | null;
  runs_per_day: number | null;
  /** In millionths of a dollar, as `cost`. */
  cost_per_day: number | null;
  /** The day in UTC of which it tells. */
  day: string;
  tasks: number;
  runs: number;
  cost: number;
  /** How many days' worth a person has allowed beyond. */
  allowed: number;
};

const list = statement<In, BudgetRow>(
  `select id, scope, name, tasks_per_day, runs_per_day, cost_per_day, day, tasks, runs, cost, allowed
   from task_budgets where space_id = :space_id order by scope, name`,
);
export const listBudgets = (db: Reader, space_id: string): Promise<BudgetRow[]> => db.all(list, { space_id });

const save = statement<In & BudgetRow>(
  `insert into task_budgets (space_id, id, scope, name, tasks_per_day, runs_per_day, cost_per_day, day, tasks, runs, cost,
   allowed)
   values (:space_id, :id, :scope, :name, :tasks_per_day, :runs_per_day, :cost_per_day, :day, :tasks, :runs, :cost,
   :allowed)
   on conflict (space_id, scope, name) do update set tasks_per_day = excluded.tasks_per_day,
   runs_per_day = excluded.runs_per_day, cost_per_day = excluded.cost_per_day, day = excluded.day,
   tasks = excluded.tasks, runs = excluded.runs, cost = excluded.cost, allowed = excluded.allowed`,
);
export const saveBudget = (tx: Tx, row: BudgetRow): Promise<void> => tx.run(save, { ...row, space_id: tx.space_id });

const remove = statement<In & { scope: string; name: string }>(
  "delete from task_budgets where space_id = :space_id and scope = :scope and name = :name",
);
export const deleteBudget = (tx: Tx, { scope, name }: BudgetRow): Promise<void> =>
  tx.run(remove, { scope, name, space_id: tx.space_id });
