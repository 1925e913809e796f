import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { costWords } from "../../../cost.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { answerIn, close, raise, subjectOf } from "../../notices/index.ts";
import type { Budget, SetBudget } from "../schema.ts";
import * as store from "../store.ts";
import { TOPIC, tellBudget } from "./events.ts";
import { planSweep } from "./planning.ts";
import { isoAt } from "./wire.ts";

const KIND = "task.budget";
const DAY_MS = 86_400_000;
const MICRO = 1_000_000;

const dayOf = (ctx: Ctx): string => isoAt(ctx.now()).slice(0, 10);

/** Whether as much was used today as may be, with what a person has allowed beyond. */
export function isExhausted(ctx: Ctx, budget: store.BudgetRow): boolean {
  const today = budgetToday(ctx, budget);
  const days = 1 + today.allowed;
  const over = (used: number, per_day: number | null): boolean => per_day !== null && used >= per_day * days;
  const { tasks, runs, cost, tasks_per_day, runs_per_day, cost_per_day } = today;
  // Whoever is of a run was counted when that began: the last one there may be is still given what it was started for.
  const isCounted = ctx.actor.run_cause !== undefined;
  return over(tasks, tasks_per_day) || (!isCounted && over(runs, runs_per_day)) || over(cost, cost_per_day);
}

/** What somebody starts or spends, for each budget that it counts for. */
interface Spending {
  account?: string;
  agent?: string;
  tasks?: number;
  runs?: number;
  cost_usd?: number;
}

const countsFor = ({ scope, name }: store.BudgetRow, { account, agent }: Spending): boolean =>
  scope === "space" || (scope === "account" ? name === account : name === agent);

/** Whether a budget that this counts for is used up: then it waits, it does not fail. */
export async function isOverBudget(ctx: Ctx, spending: Spending): Promise<boolean> {
  const budgets = await store.listBudgets(ctx.db, ctx.actor.space_id);
  return budgets.some((budget) => countsFor(budget, spending) && isExhausted(ctx, budget));
}

/** The same of what may be spent alone, for whoever takes no tasks and starts no runs. */
export async function isOverCost(ctx: Ctx, spending: Spending): Promise<boolean> {
  const none = { tasks_per_day: null, runs_per_day: null };
  const budgets = await store.listBudgets(ctx.db, ctx.actor.space_id);
  return budgets.some((budget) => countsFor(budget, spending) && isExhausted(ctx, { ...budget, ...none }));
}

/** Counts it. The one that uses a budget up asks people whether there may be more. */
export async function charge(ctx: TxCtx, spending: Spending): Promise<void> {
  const { tasks = 0, runs = 0, cost_usd = 0 } = spending;
  for (const budget of await store.listBudgets(ctx.tx, ctx.tx.space_id)) {
    if (!countsFor(budget, spending)) continue;
    const today = budgetToday(ctx, budget);
    const cost = today.cost + Math.round(cost_usd * MICRO);
    const used = { ...today, tasks: today.tasks + tasks, runs: today.runs + runs, cost };
    await store.saveBudget(ctx.tx, used);
    if (isExhausted(ctx, used) && !isExhausted(ctx, today)) await ask(ctx, used);
  }
}

/** With nothing used where its day is over. */
const budgetToday = (ctx: Ctx, budget: store.BudgetRow): store.BudgetRow =>
  budget.day === dayOf(ctx) ? budget : { ...budget, ...unused(ctx) };

const unused = (ctx: Ctx) => ({ day: dayOf(ctx), tasks: 0, runs: 0, cost: 0, allowed: 0 });

async function ask(ctx: TxCtx, budget: store.BudgetRow): Promise<void> {
  const { id, day, allowed } = budget;
  await raise(ctx, {
    key: `${KIND} ${id} ${day} ${allowed}`,
    kind: KIND,
    topic: TOPIC,
    ref: id,
    title: `The budget of ${whose(budget)} is used up for today`,
    text: `${saying(budget)} Work waits until midnight UTC, or until you allow as much again for today.`,
    choices: ["allow", "wait"],
  });
  await planSweep(ctx, isoAt((Math.floor(ctx.now() / DAY_MS) + 1) * DAY_MS));
}

const whose = ({ scope, name }: store.BudgetRow): string => (scope === "space" ? "this space" : `the ${scope} ${name}`);

function saying({ tasks, runs, cost, tasks_per_day, runs_per_day, cost_per_day }: store.BudgetRow): string {
  const parts = [
    tasks_per_day !== null && `${tasks} tasks of ${tasks_per_day}`,
    runs_per_day !== null && `${runs} runs of ${runs_per_day}`,
    cost_per_day !== null && `${costWords(cost / MICRO)} of ${costWords(cost_per_day / MICRO)}`,
  ];
  return `Used: ${parts.filter(Boolean).join(", ")}.`;
}

/** A person has answered. */
export async function allowMore(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { kind, choice } = answerIn(event);
  if (kind !== KIND || choice !== "allow") return;
  const about = await subjectOf(ctx, event.ref);
  const budgets = await store.listBudgets(ctx.tx, ctx.tx.space_id);
  const budget = budgets.find(({ id }) => id === about?.ref);
  if (!budget || !isExhausted(ctx, budget)) return;
  await store.saveBudget(ctx.tx, { ...budget, allowed: Math.max(budget.allowed + 1, daysUsed(budget)) });
  await tellBudget(ctx, budget);
}

/** How many days' worth is used: one answer may have used many, and a person's word is to count all the same. */
function daysUsed({ tasks, runs, cost, tasks_per_day, runs_per_day, cost_per_day }: store.BudgetRow): number {
  const days = (used: number, per_day: number | null): number => (per_day ? Math.floor(used / per_day) : 0);
  return Math.max(days(tasks, tasks_per_day), days(runs, runs_per_day), days(cost, cost_per_day));
}

/** A new day has begun. */
export async function renewBudgets(ctx: TxCtx): Promise<void> {
  for (const budget of await store.listBudgets(ctx.tx, ctx.tx.space_id)) {
    if (budget.day === dayOf(ctx)) continue;
    await store.saveBudget(ctx.tx, { ...budget, ...unused(ctx) });
    await close(ctx, { kind: KIND, topic: TOPIC, ref: budget.id });
    await tellBudget(ctx, budget);
  }
}

/** Without a number there is no budget of that kind; without any, none at all. */
export function setBudget(ctx: Ctx, { scope, name, per_day }: SetBudget): Promise<Budget> {
  return transact(ctx, async (ctx) => {
    const known = (await store.listBudgets(ctx.tx, ctx.tx.space_id)).find(
      (one) => one.scope === scope && one.name === name,
    );
    const { tasks = null, runs = null, cost_usd = null } = per_day;
    const limits = {
      tasks_per_day: tasks,
      runs_per_day: runs,
      cost_per_day: cost_usd === null ? null : Math.round(cost_usd * MICRO),
    };
    const made = known ?? { id: ctx.tx.takeId(), scope, name, ...unused(ctx) };
    const budget = { ...made, ...limits };
    await close(ctx, { kind: KIND, topic: TOPIC, ref: budget.id });
    if (tasks === null && runs === null && cost_usd === null) await store.deleteBudget(ctx.tx, budget);
    else await store.saveBudget(ctx.tx, budget);
    await tellBudget(ctx, budget);
    return budgetWire(ctx, budget);
  });
}

export async function listBudgets(ctx: Ctx): Promise<{ budgets: Budget[] }> {
  const rows = await store.listBudgets(ctx.db, ctx.actor.space_id);
  return { budgets: rows.map((row) => budgetWire(ctx, row)) };
}

function budgetWire(ctx: Ctx, row: store.BudgetRow): Budget {
  const { scope, name, tasks_per_day, runs_per_day, cost_per_day } = row;
  const { tasks, runs, cost } = budgetToday(ctx, row);
  return {
    ...{ scope, name },
    per_day: {
      ...(tasks_per_day !== null && { tasks: tasks_per_day }),
      ...(runs_per_day !== null && { runs: runs_per_day }),
      ...(cost_per_day !== null && { cost_usd: cost_per_day / MICRO }),
    },
    used: { tasks, runs, cost_usd: cost / MICRO },
    exhausted: isExhausted(ctx, row),
  };
}
