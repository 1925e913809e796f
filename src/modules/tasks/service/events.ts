/** What events of tasks hold, and what each reader is told of them: nobody else looks into their data. */
import { type Ctx, has, type TxCtx } from "../../../context.ts";
import { append, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { BudgetRow } from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { needsOf } from "./wire.ts";

export const TOPIC = "tasks";
/** The stream of what can be claimed from now on. */
export const READY = "ready";
/** What makes one more or one less of the dead. */
export const OF_DEAD = ["task.dead", "task.requeued", "task.forgotten"];

const BUDGET_CHANGED = "budget.changed";

type Type = "created" | "updated" | "claimed" | "requeued" | "released" | "completed" | "failed" | "cancelled" | "dead";

/**
 * Tells of a task. On the stream of what can be claimed where it can be, else on that of who sent it, which is where
 * somebody waits for its end.
 */
export function tell(ctx: TxCtx, row: TaskRow, what: Type, more: Record<string, unknown> = {}): Promise<number> {
  const { id: ref, channel, sender, status, attempt, held_for, priority, lane } = row;
  const ready = status === "pending" && held_for === null && what !== "updated";
  const needs = needsOf(lane);
  const data = {
    task_id: formatId(ref),
    status,
    channel,
    sender,
    attempt,
    held_for,
    priority,
    ...(ready && needs.length > 0 && { needs }),
    ...(row.cause !== null && { caused: true }),
    ...more,
  };
  const stream = ready ? READY : row.sender_id;
  if (what === "created") return append(ctx, { id: ref, type: "task.created", topic: TOPIC, stream, data });
  return append(ctx, { type: `task.${what}`, topic: TOPIC, stream, ref, data });
}

/** Dead ones were removed after their days. They are of many senders: it is for those alone who follow all. */
export const tellForgotten = (ctx: TxCtx, tasks: number): Promise<number> =>
  append(ctx, { type: "task.forgotten", topic: TOPIC, stream: "dead", data: { tasks } });

export const tellThrottled = (ctx: TxCtx, data: { account: string; throttled_until: string }): Promise<number> =>
  append(ctx, { type: "task.throttled", topic: TOPIC, stream: READY, data });

export const tellUnthrottled = (ctx: TxCtx, data: { account: string }): Promise<number> =>
  append(ctx, { type: "task.unthrottled", topic: TOPIC, stream: READY, data });

export const tellBudget = (ctx: TxCtx, { id: ref, scope, name }: BudgetRow): Promise<number> =>
  append(ctx, { type: BUDGET_CHANGED, topic: TOPIC, stream: READY, ref, data: { scope, name } });

/** Whose budget changed is for those who may list budgets; waiting workers hear it from the feed itself. */
export const wire: EventView = ({ type, data }) => (type === BUDGET_CHANGED ? null : data);

/** Of which account it is known by now how long its quota holds. */
export const accountIn = ({ data }: FeedEvent): string => String(data.account);

/** Whether somebody may claim something from now on. */
export const isWork = ({ topic, stream }: FeedEvent): boolean => topic === TOPIC && stream === READY;

/** What the task needs that can be claimed from then on; undefined of what tells of no task. */
export const needsIn = ({ data }: FeedEvent): readonly string[] | undefined => {
  if (data.task_id === undefined) return undefined;
  return Array.isArray(data.needs) ? data.needs.map(String) : [];
};

/** Who had sent the task that is over, and how many wait for its end. */
export const endIn = ({ data }: FeedEvent): { sender: string; wakes: number } => ({
  sender: String(data.sender),
  wakes: Number(data.wakes),
});

/** Whether something is known to have led to the task, such as a turn of an agent. */
export const isCaused = ({ data }: FeedEvent): boolean => data.caused === true;

/** People and workers follow all; who only hands out work, what becomes of its own. */
export const followable = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, ...FOLLOW_ALL) ? null : [ctx.actor.principal_id];
const FOLLOW_ALL = ["admin", "human", "observer", "agent", "orchestrator", "worker"] as const;
